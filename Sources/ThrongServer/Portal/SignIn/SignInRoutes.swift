internal import HTTPTypes
internal import Hummingbird
internal import ThrongReport
internal import ThrongStore

/// `GET /`, `GET /sign-in`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            guard let visitor = try await door.visitor(of: request) else { return try pages.signIn() }
            return Self.redirect(to: Self.start(of: visitor.role))
        }
        // A look at a link leaves it good: programs that check mails follow links, and press no buttons.
        router.get("/sign-in") { request, _ in
            try pages.signIn(link: request.uri.queryParameters["link"].map { String($0) })
        }
        router.post("/sign-in") { request, _ in
            guard door.accepts(request) else {
                return try pages.signIn(
                    status: .forbidden, problem: "This form was sent from another site. Sign in here.")
            }
            switch try await door.admit(request) {
            case .entry(let cookie): return Self.redirect(to: "/", cookie: cookie)
            case .refused:
                door.onRefusal(.signIn)
                // The same for every reason: who guesses learns nothing.
                return try pages.signIn(
                    status: .forbidden,
                    problem: "This token is not known, has expired or was taken back. Ask whoever gave it to you.")
            case .spent:
                door.onRefusal(.signIn)
                return try pages.signIn(
                    status: .forbidden,
                    problem:
                        "This link has signed somebody in before, or is too old. Sign in with your token, or ask for another one."
                )
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
