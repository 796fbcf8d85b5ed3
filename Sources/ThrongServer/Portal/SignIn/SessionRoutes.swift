internal import HTTPTypes
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `GET /sessions` and `POST /sessions`: where somebody has signed in with a token, and how to end that.
struct SessionRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore

    /// The form's word for all sessions but its own.
    private static let others = "others"

    func add(to router: Router<BasicRequestContext>) {
        router.get("/sessions") { request, _ in
            guard let (token, own) = try await door.entry(of: request) else {
                return try pages.signIn(status: .unauthorized)
            }
            return try page(of: try await access.sessions(of: token.id), own: own, token)
        }
        router.post("/sessions") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            guard let (token, own) = try await door.entry(of: request) else {
                return try pages.signIn(status: .unauthorized)
            }
            guard let end = try await Doorkeeper.field("end", of: request) else { return Response(status: .badRequest) }
            if end == Self.others {
                try await access.endSessions(of: token.id, but: own)
            } else if let session = PortalSession.ID(end) {
                try await access.endSession(session, of: token.id)
            }
            return SignInRoutes.redirect(to: "/sessions")
        }
    }

    private func page(of sessions: [PortalSession], own: PortalSession.ID, _ token: AccessToken) throws -> Response {
        let now = door.now()
        let rows = sessions.map { session -> TemplateView in
            [
                "id": session.id.text, "since": Instant.text(session.since - session.since.value % 60),
                "seen": session.id == own ? "now" : Self.seen(now - session.lastLook), "isOwn": session.id == own,
                "until": Instant.text(session.until - session.until.value % 60),
            ]
        }
        let view: TemplateView = [
            "frame": pages.frame("Sign-ins", visitor: token.role.word.sentenceCased),
            "lede":
                "Browsers that have signed in with the token \(token.id).",
            "rows": rows, "hasOthers": sessions.contains { $0.id != own },
        ]
        return try pages.response(view, by: "sessions")
    }

    /// Roughly when somebody looked last. Unit: seconds.
    private static func seen(_ age: Int64) -> String {
        age < 900
            ? "in the last quarter of an hour"
            : age < 3600 ? "in the last hour" : age < 86_400 ? "today or yesterday" : "before"
    }
}
