internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIngest
internal import ThrongWire

/// A text, or a file, that is the same for everybody, with an entity tag, and compressed for clients that accept gzip.
struct ServedText: Sendable {
    private let plain: ByteBuffer
    private let packed: ByteBuffer?
    private let headers: HTTPFields
    private let entityTag: String

    /// `seconds` is how long a cache may keep it without asking; a translated one is another in other languages.
    init(_ text: String, type: String, cachedFor seconds: Int, headers: HTTPFields = [:], isTranslated: Bool = false) {
        self.init(Array(text.utf8), type: type, cachedFor: seconds, headers: headers, isTranslated: isTranslated)
    }

    init(_ bytes: [UInt8], type: String, cachedFor seconds: Int, headers: HTTPFields = [:], isTranslated: Bool = false)
    {
        plain = ByteBuffer(bytes: bytes)
        packed = Gzip.packed(bytes).map { ByteBuffer(bytes: $0) }
        let digest = SHA256.hash(data: bytes).prefix(16).lowerHex
        // The tag is weak: compressed or not, it is the same text.
        entityTag = "W/\"\(digest)\""
        var headers = headers
        headers[.contentType] = type
        headers[.eTag] = entityTag
        headers[.cacheControl] = "public, max-age=\(seconds)"
        headers[.vary] = isTranslated ? "accept-encoding, accept-language" : "accept-encoding"
        headers[.xContentTypeOptions] = "nosniff"
        self.headers = headers
    }

    /// Returns the text, or 304 if the client has it.
    func response(to request: Request) -> Response {
        if let known = request.headers[.ifNoneMatch],
            FieldSyntax.elements(known).contains(where: { $0 == entityTag || $0 == "*" })
        {
            return Response(status: .notModified, headers: headers)
        }
        var headers = headers
        let offers = FieldSyntax.elements(request.headers[.acceptEncoding] ?? "")
        guard offers.contains(where: { Self.isGzip($0) }), let packed else { return Response(.ok, plain, headers) }
        headers[.contentEncoding] = "gzip"
        return Response(.ok, packed, headers)
    }

    /// True if an offer is gzip, with a weight above 0 or without one. Source: RFC 9110, sections 12.4.2 and 12.5.3.
    private static func isGzip(_ offer: Substring) -> Bool {
        guard let parts = FieldSyntax.parts(of: offer, at: ";"), ["gzip", "x-gzip"].contains(parts[0].lowercased())
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            FieldSyntax.parameter(part).map { $0.name != "q" || Double($0.value) ?? 0 > 0 } ?? false
        }
    }

}

extension Response {
    /// Creates a response with a body, whose length is added to the headers.
    init(_ status: HTTPResponse.Status, _ body: ByteBuffer, _ headers: HTTPFields) {
        var headers = headers
        headers[.contentLength] = String(body.readableBytes)
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    static func json(_ status: HTTPResponse.Status, _ text: String, type: String = "application/json") -> Response {
        Response(status, ByteBuffer(string: text), [.contentType: type])
    }

    static func html(_ text: String) -> Response { json(.ok, text, type: "text/html; charset=utf-8") }

    /// Returns the response for its client alone: no cache keeps it.
    var unkept: Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        return response
    }

    static func text(
        _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8"
    ) -> Response {
        json(status, text, type: type)
    }
}
