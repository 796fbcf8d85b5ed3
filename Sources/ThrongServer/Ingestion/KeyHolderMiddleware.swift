internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIngest
internal import ThrongSystem
internal import ThrongWire

/// Hands requests on to the daemon that has the keys of credentials and of sealed requests, if that is another one.
struct KeyHolderMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    let ingestion: Ingestion

    /// The longest body for these routes. Unit: bytes.
    private static let bodyBytes = 1 << 20

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let headers = RequestHeaders(request.headers)
        let holder = ingestion.neighbours.keyHolder(at: ingestion.clock.now)
        if case .own = holder { return try await next(request, context) }
        return await .answering {
            let answer = try await ingestion.neighbours.answer(of: holder, to: headers) {
                let body = try await ingestion.bodies.collect(request.body, upTo: Self.bodyBytes) {
                    Array($0.readableBytesView)
                }
                return .init(
                    method: request.method == .post ? .post : .get, path: request.uri.string, headers: headers,
                    isSealed: headers.isSealed, body: body)
            }
            return answer ?? .problem(.misdirected)
        }
    }
}

extension Neighbours {
    /// Hands a request on, unless a daemon did so already, and returns the other daemon's answer; nil if this daemon is the owner.
    func answer(
        of owner: Membership.Owner, to headers: RequestHeaders, _ request: () async throws -> HandedOn
    ) async throws -> Response? {
        switch owner {
        case .own: nil
        case .undecided: throw Unavailable.changing
        case .other where admits(headers.member): .problem(.misdirected)
        case .other(let member): .relayed(try await hand(try await request(), to: member))
        }
    }
}

extension Response {
    static func relayed(_ answer: ReceivedAnswer) -> Response {
        var headers: HTTPFields = [:]
        for name in [
            "content-type", "cache-control", "retry-after", "x-content-type-options", GatewayIdentity.signatureHeader,
        ] {
            if let value = answer.header(name.lowercased()), let name = HTTPField.Name(name) { headers[name] = value }
        }
        let bytes = ByteBuffer(bytes: answer.body)
        headers[.contentLength] = "\(bytes.readableBytes)"
        return Response(
            status: .init(code: answer.status), headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
