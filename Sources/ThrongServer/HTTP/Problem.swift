internal import HTTPTypes
internal import ThrongIngest

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
