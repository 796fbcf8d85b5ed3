internal import HTTPTypes
internal import Hummingbird

/// Makes browsers use https only, for a year; other names under this one are not the daemon's to promise for.
///
/// Source: RFC 6797, sections 6.1.2 and 7.1: on answers over TLS, and on no others.
struct StrictTransport: RouterMiddleware {
    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = "max-age=31536000"
        return response
    }
}
