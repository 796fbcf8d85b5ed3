internal import HTTPTypes
internal import Hummingbird
internal import ThrongReport
internal import ThrongStore

/// `GET /`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            guard let visitor = try await door.visitor(of: request) else { return try pages.signIn() }
            return Self.redirect(to: Self.start(of: visitor.role))
        }
        router.post("/sign-in") { request, _ in
            guard door.accepts(request) else {
                return try pages.signIn(
                    status: .forbidden, problem: "This form was sent from another site. Sign in here.")
            }
            switch try await door.admit(request) {
            case .cookie(let cookie): return Self.redirect(to: "/", cookie: cookie)
            case .refused:
                door.onRefusal(.signIn)
                // The same for every reason: who guesses learns nothing.
                return try pages.signIn(
                    status: .forbidden,
                    problem: "This token is not known, has expired or was taken back. Ask whoever gave it to you.")
            case .tooFast(let seconds):
                door.onRefusal(.signInPace)
                var response = try pages.signIn(
                    status: .tooManyRequests,
                    problem:
                        "Too many sign-ins have failed lately. Try again in \(Wording.english.count(seconds, "second"))."
                )
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
