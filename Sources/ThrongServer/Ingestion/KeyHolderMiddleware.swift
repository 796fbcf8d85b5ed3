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
        let neighbours = ingestion.neighbours
        let headers = RequestHeaders(request.headers)
        switch neighbours.keyHolder(at: ingestion.clock.now) {
        case .here: return try await next(request, context)
        case .unknown: return .problem(.changing)
        case .elsewhere where neighbours.admits(headers.member): return .problem(.misdirected)
        case .elsewhere(let member):
            return await .answering {
                let body = try await ingestion.bodies.collect(request.body, upTo: Self.bodyBytes) {
                    Array($0.readableBytesView)
                }
                return .relayed(
                    try await neighbours.hand(
                        .init(
                            method: request.method == .post ? .post : .get, path: request.uri.string, headers: headers,
                            isSealed: headers.isSealed, body: body), to: member))
            }
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
