internal import HTTPTypes
internal import Hummingbird
internal import ThrongReport
internal import ThrongStore

/// `GET /`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let house: String
    let onRefusal: @Sendable (SignInRefusal) -> Void

    private struct SignInView {
        let frame: PageFrame
        let problems: [String]
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            guard let visitor = try await door.visitor(of: request) else { return try page() }
            return Self.redirect(to: Self.start(of: visitor.role))
        }
        router.post("/sign-in") { request, _ in
            guard Doorkeeper.isFromHere(request) else {
                onRefusal(.foreignForm)
                return try page(status: .forbidden, problem: "This form was sent from another site. Sign in here.")
            }
            switch try await door.admit(request) {
            case .cookie(let cookie): return Self.redirect(to: "/", cookie: cookie)
            case .refused:
                onRefusal(.token)
                // The same for every reason: who guesses learns nothing.
                return try page(
                    status: .forbidden,
                    problem: "This token is not known, has expired or was taken back. Ask whoever gave it to you.")
            case .tooFast(let seconds):
                onRefusal(.pace)
                var response = try page(
                    status: .tooManyRequests,
                    problem:
                        "Too many sign-ins have failed lately. Try again in \(Wording.english.count(seconds, "second"))."
                )
                response.headers[.retryAfter] = "\(seconds)"
                return response
            }
        }
        router.post("/sign-out") { request, _ in
            guard Doorkeeper.isFromHere(request) else {
                onRefusal(.foreignForm)
                return Response(status: .forbidden)
            }
            try await door.leave(request)
            return Self.redirect(to: "/", cookie: Doorkeeper.cookie(with: nil))
        }
    }

    /// Returns the path of the page at which a role begins.
    static func start(of role: AccessRole) -> String {
        switch role {
        case .partner: "/reports"
        case .operations: "/operator"
        case .analysis: "/explore"
        }
    }

    /// The sign-in page.
    func page(status: HTTPResponse.Status = .ok, problem: String? = nil) throws -> Response {
        try pages.response(
            SignInView(frame: pages.frame("Sign in", house: house), problems: problem.map { [$0] } ?? []),
            by: "signin", status: status)
    }

    static func redirect(to place: String, cookie: String? = nil) -> Response {
        var headers: HTTPFields = [.location: place, .cacheControl: "no-store"]
        if let cookie { headers[.setCookie] = cookie }
        return Response(status: .seeOther, headers: headers)
    }
}
