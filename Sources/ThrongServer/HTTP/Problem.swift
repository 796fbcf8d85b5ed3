internal import HTTPTypes
internal import ThrongIntake

/// Why a request was refused, as every route for clients says it: a status and an `application/problem+json`.
///
/// Source: RFC 9457.
struct Problem {
    let status: HTTPResponse.Status
    /// A stable word for programs, in small letters with `_` between them.
    let code: String
    /// Where in the body, where there is one place: a JSON pointer (RFC 6901).
    private let pointer: String?
    /// What was found, what is allowed, what to do.
    private let detail: String
    /// A URI for what is wrong.
    private let type: String
    /// How long the client waits before it tries again; nil where nothing is known. Unit: seconds.
    let retrySeconds: Int?

    static let contentType = "application/problem+json"

    /// Words, pointers and details are made of our own words and numbers: nothing to escape.
    ///
    /// - Parameter type: a URI that others gave it; nil where it is ours alone.
    init(
        _ status: HTTPResponse.Status, _ code: String, pointer: String? = nil, type: String? = nil,
        retrySeconds: Int? = nil, _ detail: String
    ) {
        (self.status, self.code, self.pointer, self.detail) = (status, code, pointer, detail)
        self.retrySeconds = retrySeconds
        self.type = type ?? "urn:throng:error:\(code)"
    }

    /// Why a request's body was refused; the status is chosen here and nowhere else.
    init(_ error: IntakeError) {
        var retrySeconds: Int?
        if case .networkQuota(let seconds) = error { retrySeconds = seconds }
        self.init(
            Self.status(of: error), error.code, pointer: error.pointer, retrySeconds: retrySeconds, error.message)
    }

    /// Why it is not clear where a request goes.
    init(_ problem: RequestTarget.Problem) { self.init(.badRequest, problem.code, problem.message) }

    /// Not now.
    static func busy(_ detail: String) -> Problem { Problem(.serviceUnavailable, "overloaded", detail) }

    /// One JSON object.
    var text: String {
        let pointer = pointer.map { ",\"pointer\":\"\($0)\"" } ?? ""
        return "{\"type\":\"\(type)\",\"title\":\"\(title)\",\"status\":\(status.code),"
            + "\"detail\":\"\(detail)\",\"error\":\"\(code)\"\(pointer)}"
    }

    /// The word for people: the same whatever else is said.
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
