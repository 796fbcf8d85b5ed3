internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import ThrongIngest
internal import ThrongSystem
internal import ThrongWire

/// The answer to a client of `POST /v1/batches`: a status and a line of JSON, an answer or a ``Problem``.
struct IntakeAnswer {
    let status: HTTPResponse.Status
    let text: String
    let contentType: String

    /// The body of another daemon's answer, in place of the text; nil for ours.
    private let bytes: [UInt8]?

    var content: [UInt8] { bytes ?? Array(text.utf8) }

    /// The time after which the client may try again; nil if it need not wait. Unit: seconds.
    let retryAfter: String?

    /// The default time for a client to wait. Unit: seconds.
    static let retrySeconds = "5"

    init(_ answer: BatchAnswer) {
        let reveal =
            (answer.unlisted.map { ",\"unlisted\":\($0)" } ?? "") + (answer.test.map { ",\"test\":\($0)" } ?? "")
            + (answer.reveal.map(Self.text) ?? "")
        guard !answer.refused.isEmpty else {
            self.init(accepted: "{\"accepted\":\(answer.accepted),\"refused\":[]\(reveal)}")
            return
        }
        let refused = answer.refused.map {
            "{\"index\":\($0.index),\"reason\":\"\($0.reason.rawValue)\"\($0.detail.map(Self.text) ?? "")}"
        }
        self.init(
            accepted: "{\"accepted\":\(answer.accepted),\"refused\":[\(refused.joined(separator: ","))]\(reveal)}")
    }

    /// Returns the JSON member with a refusal's details: names, words and places that need no escapes.
    private static func text(_ detail: RefusalDetail) -> String {
        var text = ",\"detail\":{\"pointer\":\"\(detail.pointer)\""
        if let member = detail.member { text += ",\"member\":\(member)" }
        if let field = detail.field { text += ",\"field\":\"\(field)\"" }
        if let nearest = detail.nearest { text += ",\"nearest\":\"\(nearest)\"" }
        if let expected = detail.expected { text += ",\"expected\":\"\(expected)\"" }
        return text + "}"
    }

    /// Returns the JSON member that asks for values.
    private static func text(_ requests: [RevealRequest]) -> String {
        let requests = requests.map {
            "{\"dimension\":\"\($0.dimension)\",\"hash\":\"\($0.hash)\",\"probability\":\($0.probability)}"
        }
        return ",\"reveal\":[\(requests.joined(separator: ","))]"
    }

    init(relayed answer: ReceivedAnswer) {
        status = HTTPResponse.Status(code: answer.status)
        text = ""
        bytes = answer.body
        contentType = answer.header("content-type") ?? "application/json"
        retryAfter = answer.header("retry-after")
    }

    init(_ reason: Unavailable) { self.init(reason.problem) }

    init(_ problem: Problem) {
        status = problem.status
        (text, bytes, contentType) = (problem.text, nil, Problem.contentType)
        retryAfter = problem.retrySeconds.map { "\($0)" } ?? (status == .serviceUnavailable ? Self.retrySeconds : nil)
    }

    private init(accepted text: String) {
        status = .accepted
        self.text = text
        contentType = "application/json"
        (bytes, retryAfter) = (nil, nil)
    }

    /// The answer to a body at the gateway that is no encapsulated request.
    static let notEncapsulated = IntakeAnswer(
        Problem(
            .unsupportedMediaType, "not_encapsulated", "Send an encapsulated request as \(SealedRequest.mediaType)."))

    /// The answer to a sealed request for a path that takes none.
    static let unknownInside = IntakeAnswer(
        Problem(
            .notFound, "unknown_path",
            "Sealed requests go to POST /v1/batches, /v1/reveals, /v1/firsts, /v1/withdraw, /v1/preview and GET /v1/plan/APP."
        ))

    /// The challenge to a client that is refused for want of a secret (RFC 9110, section 15.5.2); nil for all others.
    var challenge: String? { status == .unauthorized ? "Bearer" : nil }

    /// Returns the whole response, as it goes over the wire; `reader` is the pages that may read it.
    func response(isLast: Bool, reader: CrossOrigin.Reader?) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: 256 + text.utf8.count)
        bytes.writeStaticString("HTTP/1.1 ")
        if status == .accepted {
            bytes.writeStaticString("202 Accepted")
        } else {
            bytes.writeString("\(status.code) \(status.reasonPhrase)")
        }
        bytes.writeStaticString("\r\ncontent-type: ")
        bytes.writeString(contentType)
        bytes.writeStaticString("\r\ncontent-length: ")
        bytes.writeString(String(self.bytes?.count ?? text.utf8.count))
        if let retryAfter {
            bytes.writeStaticString("\r\nretry-after: ")
            bytes.writeString(retryAfter)
        }
        if let challenge {
            bytes.writeStaticString("\r\nwww-authenticate: ")
            bytes.writeString(challenge)
        }
        Self.writeEnd(to: &bytes, isLast: isLast, reader: reader)
        if let content = self.bytes { bytes.writeBytes(content) } else { bytes.writeString(text) }
        return bytes
    }

    /// Writes the end of every head, behind the value of its last field.
    static func writeEnd(to bytes: inout ByteBuffer, isLast: Bool, reader: CrossOrigin.Reader?) {
        if let reader {
            for field in reader.headers { bytes.writeString("\r\n\(field.name.canonicalName): \(field.value)") }
        }
        if isLast { bytes.writeStaticString("\r\nconnection: close") }
        bytes.writeStaticString("\r\n\r\n")
    }
}

extension Response {
    static func refusal(_ error: IntakeError) -> Response { .problem(Problem(error)) }

    static func problem(_ problem: Problem) -> Response { .answer(IntakeAnswer(problem)) }

    /// Returns an answer to a client of `POST /v1/batches` as a response.
    static func answer(_ answer: IntakeAnswer) -> Response {
        var response = Response.json(
            answer.status, String(decoding: answer.content, as: UTF8.self), type: answer.contentType)
        response.headers[.retryAfter] = answer.retryAfter
        response.headers[.wwwAuthenticate] = answer.challenge
        return response
    }

    static func notReady(_ text: String) -> Response {
        var response = Response.text(.serviceUnavailable, text)
        response.headers[.retryAfter] = IntakeAnswer.retrySeconds
        return response
    }
}

extension Problem {
    /// Says why an opened message is no request. It is sealed like any other answer.
    init(malformed error: ObliviousError) {
        let status: HTTPResponse.Status = if case .tooLarge = error { .contentTooLarge } else { .badRequest }
        self.init(status, "not_binary_http", "\(error)")
    }

    /// Says why an encapsulated request could not be opened. The client reads it through the relay.
    ///
    /// Source: RFC 9458, sections 5.2 and 5.3.
    init(unopened error: ObliviousError) {
        switch error {
        case .unknownKey, .unknownSuite, .unopened:
            self.init(
                .badRequest, "oblivious_key", type: "https://iana.org/assignments/http-problem-types#ohttp-key",
                "\(error)")
        case .truncated, .framing, .tooLarge, .malformed, .configuration, .noUsableKey, .tooShort:
            self.init(.badRequest, "not_encapsulated", "\(error)")
        }
    }
}

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
