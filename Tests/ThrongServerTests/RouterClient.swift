import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Synchronization

/// Puts requests to a router without a socket.
struct RouterClient: Sendable {
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let body: String
    }

    private let responder: RouterResponder<BasicRequestContext>
    /// What the router answers: "GET /v1/plan/{app}".
    let operations: [String]

    init(_ router: Router<BasicRequestContext>) {
        operations = router.routes.map { "\($0.method.rawValue) \($0.path)" }
        responder = router.buildResponder()
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String = ""
    ) async throws -> Answer {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let source = ApplicationRequestContextSource(
            channel: NIOAsyncTestingChannel(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await responder.respond(to: request, context: BasicRequestContext(source: source))
        let written = Written()
        try await response.body.write(written)
        return Answer(status: response.status, headers: response.headers, body: written.text)
    }

    /// A body as it was written.
    private final class Written: ResponseBodyWriter {
        private let buffer = Mutex(ByteBuffer())

        var text: String { buffer.withLock { String(buffer: $0) } }

        func write(_ part: ByteBuffer) async throws { buffer.withLock { _ = $0.writeImmutableBuffer(part) } }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}
