internal import Hummingbird

/// Answers other daemons, and nobody else.
struct MembersOnly: RouterMiddleware {
    typealias Context = BasicRequestContext

    let neighbours: Neighbours

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard neighbours.admits(RequestHeaders(request.headers).member) else { return .problem(.notAMember) }
        return try await next(request, context)
    }
}
