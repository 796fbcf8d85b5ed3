internal import Hummingbird

/// Answers other daemons, and nobody else.
struct MembersOnly: RouterMiddleware {
    let neighbours: Neighbours

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        guard neighbours.admits(RequestHeaders(request.headers).member) else {
            return .problem(
                Problem(
                    .misdirectedRequest, "members_only",
                    "Only daemons of the same PostgreSQL are answered at this port; clients post to that of --listen."))
        }
        return try await next(request, context)
    }
}
