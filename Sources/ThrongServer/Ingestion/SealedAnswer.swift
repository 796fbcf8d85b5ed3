internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import ThrongWire

/// The answer to a sealed request: only the client that sealed the request can read it.
struct SealedAnswer {
    private let request: OpenedRequest
    private var status = 500
    private var fields: [MessageField] = []
    private var content: [UInt8] = []

    init(to request: OpenedRequest) { self.request = request }

    /// The fields of the router's answers that are sealed with it. Those of the connection are the outer answer's.
    private static let known = [
        "cache-control", "content-type", "date", "etag", "retry-after", "www-authenticate", GatewayIdentity.header,
    ]

    /// Takes a part of the router's answer.
    mutating func take(_ part: HTTPServerResponsePart) {
        switch part {
        case .head(let head):
            status = Int(head.status.code)
            fields = Self.known.compactMap { name in head.headers.first(name: name).map { MessageField(name, $0) } }
        case .body(.byteBuffer(let bytes)): content += bytes.readableBytesView
        case .body(.fileRegion), .end: break
        }
    }

    /// Takes the answer to a batch, and the time, which a client with a wrong clock could not ask elsewhere unseen.
    mutating func take(_ answer: IntakeAnswer, at now: UnixSeconds?) {
        status = answer.status.code
        fields = [MessageField("content-type", answer.contentType)]
        if let now { fields.append(MessageField("date", now.httpDate)) }
        if let seconds = answer.retryAfter { fields.append(MessageField("retry-after", seconds)) }
        if let challenge = answer.challenge { fields.append(MessageField("www-authenticate", challenge)) }
        content = answer.content
    }

    /// Returns the whole response, as it goes over the wire; a failure if it can't be sealed.
    func bytes(isLast: Bool, reader: CrossOrigin.Reader?) -> ByteBuffer {
        do throws(ObliviousError) {
            return try response(isLast: isLast, reader: reader)
        } catch { return IntakeAnswer(.failed).response(isLast: isLast, reader: reader) }
    }

    private func response(isLast: Bool, reader: CrossOrigin.Reader?) throws(ObliviousError) -> ByteBuffer {
        let message = BinaryResponse(status, fields: fields, content: content).encoded(isPadded: true)
        let sealed = try request.seal(response: message)
        var bytes = ByteBufferAllocator().buffer(capacity: 192 + sealed.count)
        bytes.writeString(
            "HTTP/1.1 200 OK\r\ncontent-type: \(OpenedRequest.responseMediaType)\r\ncontent-length: \(sealed.count)")
        bytes.writeString("\r\ncache-control: no-store")
        IntakeAnswer.writeEnd(to: &bytes, isLast: isLast, reader: reader)
        bytes.writeBytes(sealed)
        return bytes
    }
}

/// The target of a sealed request: only the routes that clients need.
enum InnerRequest {
    case batch
    case passed
    case unknown

    init(_ request: BinaryRequest) {
        let path = request.path.utf8.prefix { $0 != UInt8(ascii: "?") }
        switch (request.method, String(Substring(path))) {
        case ("POST", "/v1/batches"): self = .batch
        case ("POST", "/v1/reveals"), ("POST", "/v1/withdraw"), ("POST", "/v1/preview"), ("POST", "/v1/credentials"),
            ("POST", "/v1/firsts"):
            self = .passed
        case ("GET", let path) where path.hasPrefix("/v1/plan/") && path.utf8.count > 9: self = .passed
        case ("GET", let path) where path.hasPrefix("/v1/credentials/") && path.utf8.count > 16: self = .passed
        default: self = .unknown
        }
    }

    /// The fields that routes use. Others are not passed on, nor are any of the outer request.
    private static let known: Set = [
        "accept-language", "authorization", "content-encoding", "content-type", "dnt", "sec-gpc",
    ]

    static func headers(of request: BinaryRequest) -> HTTPHeaders {
        HTTPHeaders(request.fields.filter { known.contains($0.name) }.map { ($0.name, $0.value) })
    }

    static func head(of request: BinaryRequest) -> HTTPRequestHead {
        var headers = headers(of: request)
        headers.add(name: "host", value: "sealed")
        headers.add(name: SealedMark.name, value: SealedMark.value)
        headers.add(name: "content-length", value: "\(request.content.count)")
        return HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: request.method), uri: request.path, headers: headers)
    }
}
