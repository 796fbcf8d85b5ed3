internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIngest
internal import ThrongWire

/// The reason why a request was refused, in the form of all routes for clients: a status and an
/// `application/problem+json`.
///
/// Source: RFC 9457.
struct Problem {
    let status: HTTPResponse.Status
    /// A stable code for programs: words in lower case with `_` between them.
    let code: String
    /// The place in the body, if there is one: a JSON pointer (RFC 6901).
    private let pointer: String?
    private let detail: String
    private let type: String
    /// The time after which the client may try again; nil if it is not known. Unit: seconds.
    let retrySeconds: Int?

    static let contentType = "application/problem+json"

    /// Creates a problem. Codes, pointers and details consist of our own words and numbers: nothing needs escaping.
    ///
    /// - Parameter type: a URI that a standard gives the problem; nil if it is ours alone.
    init(
        _ status: HTTPResponse.Status, _ code: String, pointer: String? = nil, type: String? = nil,
        retrySeconds: Int? = nil, _ detail: String
    ) {
        (self.status, self.code, self.pointer, self.detail) = (status, code, pointer, detail)
        self.retrySeconds = retrySeconds
        self.type = type ?? "urn:throng:error:\(code)"
    }

    /// Says why a request's body was refused. The status is chosen here and nowhere else.
    init(_ error: IntakeError) {
        var retrySeconds: Int?
        if case .networkQuota(let seconds) = error { retrySeconds = seconds }
        self.init(Self.status(of: error), error.code, pointer: error.pointer, retrySeconds: retrySeconds, error.message)
    }

    init(_ problem: RequestTarget.Problem) { self.init(.badRequest, problem.code, problem.message) }

    /// The problem of bytes that are no request.
    static let unreadable = Problem(
        .badRequest, "not_http", "This is no request of HTTP/1.1 with at most 80 KiB of headers; TLS is for https.")

    static func busy(_ detail: String, retrySeconds: Int? = nil) -> Problem {
        Problem(.serviceUnavailable, "overloaded", retrySeconds: retrySeconds, detail)
    }

    /// The problem of a request that was handed on to the wrong daemon.
    static let misdirected = Problem(.misdirectedRequest, "misdirected", "Another daemon counts this identifier.")

    var text: String {
        let pointer = pointer.map { ",\"pointer\":\"\($0)\"" } ?? ""
        return "{\"type\":\"\(type)\",\"title\":\"\(title)\",\"status\":\(status.code),"
            + "\"detail\":\"\(detail)\",\"error\":\"\(code)\"\(pointer)}"
    }

    /// The title for people: always the same for a code.
    private var title: String { code.prefix(1).uppercased() + code.dropFirst().replacing("_", with: " ") }

    private static func status(of error: IntakeError) -> HTTPResponse.Status {
        switch error {
        case .bodyTooLarge, .tooManyEvents, .recordTooLarge: .contentTooLarge
        case .unknownApp: .notFound
        case .unknownPurpose, .identifierUnwanted, .unproved, .nothingToTellApart, .windowOutOfRange,
            .noFirsts, .periodNotOpen, .unknownCell, .unprovedFirst:
            .unprocessableContent
        case .originNotAllowed, .obliviousOnly, .keyRequired, .unknownKey, .revokedKey: .forbidden
        case .secretRequired, .unknownSecret: .unauthorized
        case .networkQuota: .tooManyRequests
        case .noMemory: .serviceUnavailable
        case .unknownEncoding: .unsupportedMediaType
        case .foreign: error.code == "not_json" ? .badRequest : .unsupportedMediaType
        case .notJSON, .notUTF8, .notGzip, .numberOutOfRange, .tooDeep, .duplicateKey, .nul, .wrongShape,
            .stringTooLong:
            .badRequest
        }
    }
}

/// The reason why a request is not taken now; its client may send it again.
enum Unavailable: Error {
    /// The journal is too far ahead of PostgreSQL, or of its disk.
    case overloaded
    /// Open windows take all the memory that they may; there may be more after `retrySeconds`.
    case full(retrySeconds: Int)
    case crowded
    case starting
    case failed
    /// The daemon that counts the identifier does not answer.
    case unreachable
    /// The daemon that counts the identifier is being changed.
    case changing

    var problem: Problem {
        switch self {
        case .overloaded: .busy("No room now: PostgreSQL has not caught up, or the disk is full or slow.")
        case .full(let seconds):
            .busy("No room now: memory for open windows is full until some are over.", retrySeconds: seconds)
        case .crowded: .busy("No room now: too many large requests at once.")
        case .starting: .busy("Not started yet: the disk is full, or PostgreSQL has to be asked first.")
        case .failed: .busy("The journal failed; the batch was not counted.")
        case .unreachable:
            Problem(
                .serviceUnavailable, "unreachable", retrySeconds: 5,
                "The daemon that counts this identifier can't be reached now; send the same batch again.")
        case .changing:
            Problem(
                .serviceUnavailable, "changing", retrySeconds: 2,
                "Who counts this identifier is being changed; send the same batch again.")
        }
    }
}

/// Answers requests without a route: 405 with `Allow` if the address takes other methods, else 404.
///
/// Add it after all routes: a router asks a middleware that is added last only for requests that it has no route for.
///
/// Source: RFC 9110, sections 10.2.1, 15.5.5 and 15.5.6.
struct NoRoute: RouterMiddleware {
    private struct Address {
        let path: RouterPath
        let methods: Set<HTTPRequest.Method>
    }

    private let addresses: [Address]
    private let origins: CrossOrigin?

    /// - Parameters:
    ///   - routes: all routes that are answered, here or elsewhere.
    ///   - origins: the pages that may read the answers; nil if none may.
    init(_ routes: [(path: RouterPath, method: HTTPRequest.Method)], origins: CrossOrigin? = nil) {
        addresses = Dictionary(grouping: routes, by: \.path.description).values.map { routes in
            var methods = Set(routes.map(\.method))
            if methods.contains(.get) { methods.insert(.head) }
            return Address(path: routes[0].path, methods: methods)
        }
        self.origins = origins
    }

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        var response = answer(to: request)
        let readers = origins?.headers(for: RequestHeaders(request.headers).origin) ?? [:]
        response.headers.append(contentsOf: readers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(to request: Request) -> Response {
        let segments = request.uri.path.split(separator: "/")
        let address = addresses.first { address in
            address.path.components.count == segments.count
                && zip(address.path.components, segments).allSatisfy { $0 ~= $1 }
        }
        guard let address, !address.methods.contains(request.method) else {
            return .problem(
                Problem(.notFound, "not_found", "Nothing is at this address; GET /v1/openapi.json lists all."))
        }
        var response = Response.problem(
            Problem(.methodNotAllowed, "method_not_allowed", "This address takes other methods; Allow lists them."))
        response.headers[.allow] = address.methods.map(\.rawValue).sorted().joined(separator: ", ")
        return response
    }
}

/// A text, or a file, that is the same for everybody, with an entity tag, and compressed for clients that accept gzip.
struct ServedText: Sendable {
    private let plain: ByteBuffer
    private let packed: ByteBuffer?
    private let headers: HTTPFields
    private let entityTag: String

    /// The room that it takes in memory, about. Unit: bytes.
    var size: Int { plain.readableBytes + (packed?.readableBytes ?? 0) + 2048 }

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
    ) -> Response { json(status, text, type: type) }
}

/// The origins whose web pages may send events and read answers: all of them, or those that the operator lists.
///
/// No route uses cookies, so any page may ask without harm. A list keeps strangers' pages from sending events that
/// their visitors never caused. Clients that are no browser name no origin and are not concerned.
///
/// Source: the Fetch standard, section 3.2 (CORS protocol).
package struct CrossOrigin: Sendable, Hashable {
    /// The origins that are allowed; nil if every origin is.
    private let listed: Set<String>?

    package static let everywhere = CrossOrigin(listed: nil)

    private init(listed: Set<String>?) { self.listed = listed }

    /// Reads "*", or origins such as "https://shop.example.com http://localhost:8000"; nil for anything else.
    package init?(_ text: String) {
        guard text != "*" else {
            self = .everywhere
            return
        }
        let origins = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
        guard !origins.isEmpty, origins.allSatisfy({ $0.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/[^\/?#]+/) != nil })
        else { return nil }
        self.init(listed: Set(origins.map(Self.spelled)))
    }

    /// Returns an origin in small letters as it is compared: with its host in Unicode, without the port of its scheme.
    private static func spelled(_ origin: String) -> String {
        guard let parts = origin.wholeMatch(of: /(.*?:\/\/)(.*?)(:[0-9]*)?/)?.output else { return origin }
        let isImplied = (parts.1 == "https://" && parts.3 == ":443") || (parts.1 == "http://" && parts.3 == ":80")
        let host = String(decoding: AddressSpelling.host(Array(parts.2.utf8)), as: UTF8.self)
        return "\(parts.1)\(host)\(isImplied ? "" : parts.3 ?? "")"
    }

    /// Pages that may read an answer.
    struct Reader: Sendable { let headers: HTTPFields }

    /// Returns true if a request may be answered: it comes from no page, or from one that may ask.
    func allow(_ origin: RequestHeaders.Origin) -> Bool { origin == .none || reader(for: origin) != nil }

    /// Returns the pages that may read the answer to a page of an origin; nil if no page asked, or it may not ask.
    func reader(for origin: RequestHeaders.Origin) -> Reader? {
        guard origin != .none else { return nil }
        guard let listed else { return Self.anyone }
        guard case .page(let origin) = origin else { return nil }
        let small = origin.lowercased()
        guard listed.contains(small) || listed.contains(Self.spelled(small)) else { return nil }
        return Reader(
            headers: [.accessControlAllowOrigin: origin, .accessControlExposeHeaders: Self.exposed, .vary: "origin"])
    }

    private static let anyone = Reader(headers: [.accessControlAllowOrigin: "*", .accessControlExposeHeaders: exposed])

    /// The headers that scripts may read beside the body: the time to wait, and the current time.
    private static let exposed = "age, date, retry-after"

    /// Returns the headers of an answer; a request without an origin gets them too, for caches.
    func headers(for origin: RequestHeaders.Origin) -> HTTPFields {
        guard listed != nil else { return Self.anyone.headers }
        return reader(for: origin)?.headers ?? [.vary: "origin"]
    }
}

/// Tells on every answer, and to preflight requests, which pages may read it; refuses pages that may not send.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: CrossOrigin

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        let origin = RequestHeaders(request.headers).origin
        var response =
            request.method == .post && !origins.allow(origin)
            ? .refusal(.originNotAllowed) : try await next(request, context)
        response.headers.append(contentsOf: origins.headers(for: origin))
        if request.method == .options {
            response.headers[.accessControlAllowMethods] = "GET, POST"
            // Scripts that watch a page add headers of their own to its requests; browsers before 2019 don't know the star.
            response.headers[.accessControlAllowHeaders] = "content-type, content-encoding, *"
            response.headers[.accessControlMaxAge] = "86400"
        }
        return response
    }
}

/// Refuses requests for other names than this machine's: a page whose name leads here reads nothing (DNS rebinding).
///
/// Addresses are allowed, as they are no names. So are names without a dot and under `localhost`, which nobody can own.
struct KnownHosts: RouterMiddleware {
    private let names: Set<String>

    /// - Parameter names: the names that requests may use for this machine, beside its own host name.
    init(_ names: [String]) { self.names = Set((names + [ProcessInfo.processInfo.hostName]).map { $0.lowercased() }) }

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        // A request without an authority is of a client of HTTP/1.0, which is no browser.
        guard request.head.authority.map({ isKnown($0) }) ?? true else {
            return .problem(
                Problem(
                    .misdirectedRequest, "unknown_host",
                    "Nothing is served here by the Host that was asked for. Ask by an address, or list the name in metrics-hosts."
                ))
        }
        return try await next(request, context)
    }

    /// Returns true if a request's host, with a port or without, is allowed.
    func isKnown(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        var host = authority.prefix { $0 != ":" }.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard ClientAddress(host) == nil, !names.contains(host) else { return true }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.inLabels.contains) }
            && (labels.count == 1 || labels.last == "localhost")
    }

    private static let inLabels = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
