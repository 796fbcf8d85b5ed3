internal import HTTPTypes
internal import Hummingbird

/// Has browsers come by https only, for a year.
///
/// Source: RFC 6797, section 7.1: on answers over TLS, and on no others.
struct StrictTransport<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = "max-age=31536000"
        return response
    }
}
