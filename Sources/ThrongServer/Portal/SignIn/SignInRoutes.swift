internal import HTTPTypes
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `GET /`, `GET /sign-in`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            guard let visitor = try await door.visitor(of: request) else { return try pages.signIn(for: request) }
            return Self.redirect(to: Self.start(of: visitor.role))
        }
        // A look at a link leaves it good: programs that check mails follow links, and press no buttons.
        router.get("/sign-in") { request, _ in
            try pages.signIn(for: request, link: request.uri.queryParameters["link"].map { String($0) })
        }
        router.post("/sign-in") { request, _ in
            guard door.accepts(request) else {
                return try pages.signIn(for: request, status: .forbidden, refusal: .foreign)
            }
            switch try await door.admit(request) {
            case .entry(let cookie): return Self.redirect(to: "/", cookie: cookie)
            // The same for every reason: who guesses learns nothing.
            case .refused: return try refuse(request, .unknown)
            case .spent: return try refuse(request, .spent)
            case .tooFast(let seconds):
                door.onRefusal(.signInPace)
                var response = try pages.signIn(for: request, status: .tooManyRequests, refusal: .fast, wait: seconds)
                response.headers[.retryAfter] = "\(seconds)"
                return response
            }
        }
        router.post("/sign-out") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            try await door.leave(request)
            return Self.redirect(to: "/", cookie: Doorkeeper.cookie(with: nil))
        }
    }

    private func refuse(_ request: Request, _ refusal: PortalPages.Refusal) throws -> Response {
        door.onRefusal(.signIn)
        return try pages.signIn(for: request, status: .forbidden, refusal: refusal)
    }

    static func start(of role: AccessRole) -> String {
        switch role {
        case .partner: "/reports"
        case .operations: "/operator"
        case .analysis: "/explore"
        }
    }

    static func redirect(to place: String, cookie: String? = nil) -> Response {
        var headers: HTTPFields = [.location: place, .cacheControl: "no-store"]
        if let cookie { headers[.setCookie] = cookie }
        return Response(status: .seeOther, headers: headers)
    }
}

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
                return try pages.signIn(for: request, status: .unauthorized)
            }
            return try page(
                of: try await access.sessions(of: token.id), own: own, token,
                in: pages.language(of: token.role, for: request))
        }
        router.post("/sessions") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            guard let (token, own) = try await door.entry(of: request) else {
                return try pages.signIn(for: request, status: .unauthorized)
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

    private func page(of sessions: [PortalSession], own: PortalSession.ID, _ token: AccessToken, in language: Language)
        throws -> Response
    {
        let now = door.now()
        func minute(_ time: UnixSeconds) -> String { "\(PeriodCalendar.utc.instantTitle(of: time, in: language)) UTC" }
        let rows = sessions.map { session -> TemplateView in
            let seen = session.id == own ? "own" : Self.seen(now - session.lastLook)
            return [
                "id": session.id.text, "since": minute(session.since), "until": minute(session.until),
                "seen": language.say(.signInLook, ["seen": seen]),
                "ending": language.say(.signInEndOf, ["time": minute(session.since)]),
            ]
        }
        let visitor = language.say(.role, ["role": token.role.word])
        let view: TemplateView = [
            "frame": pages.frame(language.say(.signIns), in: language, visitor: visitor),
            "lede": language.say(.signInsOf, ["token": "\(token.id)"]), "rows": rows,
            "hasOthers": sessions.contains { $0.id != own },
        ]
        return try pages.response(view, by: "sessions")
    }

    /// Roughly when somebody looked last. Unit: seconds.
    private static func seen(_ age: Int64) -> String {
        age < 900 ? "quarter" : age < 3600 ? "hour" : age < 86_400 ? "day" : "before"
    }
}
