internal import HTTPTypes
internal import Hummingbird
internal import ThrongSystem

extension Traces {
    /// Begins the span of a client's request; a method that no route takes is not repeated.
    func begin(request route: String?, method: String) -> OpenSpan? {
        guard let span = begin(.request) else { return nil }
        if let route { span.say(.route, route) }
        span.say(.method, Self.methods.contains(method) ? method : "_OTHER")
        return span
    }

    private static let methods: Set = ["GET", "HEAD", "POST", "OPTIONS"]
}

/// Traces some of the requests that go to the router: the route's template, the method, the status and the size, and
/// nothing else that a client chose.
struct TracedRequests: RouterMiddleware {
    let traces: Traces

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let span = traces.begin(request: nil, method: request.method.rawValue) else {
            return try await next(request, context)
        }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) { span.say(.bytes, length) }
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        // A path that no route has may be any text of a client.
        if let route = context.endpointPath { span.say(.route, route) }
        let status =
            switch result {
            case .success(let response): response.status.code
            case .failure(let error): (error as? any HTTPResponseError)?.status.code ?? 500
            }
        span.say(.status, status)
        span.end(failed: status >= 500)
        return try result.get()
    }
}
