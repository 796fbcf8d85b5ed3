internal import HTTPTypes
internal import Hummingbird
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
