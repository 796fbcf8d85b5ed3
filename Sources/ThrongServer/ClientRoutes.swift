internal import HTTPTypes
internal import Hummingbird
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// All routes of the clients' port, except `POST /v1/batches` and `POST /v1/ohttp`, which ``BatchHandler`` answers.
///
/// `Web/openapi.json` describes it, and a test compares the two.
struct ClientRoutes {
    let plans: [Plan]
    let origins: CrossOrigin
    let clock: UnixClock
    /// Makes browsers use https only; nil if the port does not use TLS.
    var strict: StrictTransport?
    var isForMembers = false
    var traces = Traces.off

    /// The routes that the router of a daemon that has started never sees.
    static let unrouted = ["/v1/batches", "/v1/ohttp"].map {
        (path: RouterPath(stringLiteral: $0), method: HTTPRequest.Method.post)
    }

    func router(
        for ingestion: Ingestion, _ gateway: ObliviousGateway, _ issuer: CredentialIssuer,
        isStopping: @escaping @Sendable () -> Bool
    ) throws -> Router<BasicRequestContext> {
        let router = emptyRouter()
        HealthRoutes(ingestion: ingestion, isStopping: isStopping).add(to: router)
        if isForMembers { router.add(middleware: MembersOnly(neighbours: ingestion.neighbours)) }
        PageRoutes(plans: plans, ingestion: ingestion, clock: clock).add(to: router)
        let open = try addOpenRoutes(to: router, gateway.identity)
        PreviewRoutes(ingestion: ingestion).add(to: open)
        let devices = DeviceRoutes(ingestion: ingestion)
        devices.add(to: open)
        let keys = open.group().add(middleware: KeyHolderMiddleware(ingestion: ingestion))
        GatewayKeyRoutes(gateway: gateway).add(to: keys)
        CredentialRoutes(ingestion: ingestion, issuer: issuer).add(to: keys)
        devices.addFirsts(to: keys)
        return router.add(
            middleware: NoRoute(router.routes.map { ($0.path, $0.method) } + Self.unrouted, origins: origins))
    }

    func startingRouter() throws -> Router<BasicRequestContext> {
        let router = emptyRouter()
        try addOpenRoutes(to: router, nil)
        PageRoutes(plans: plans, ingestion: nil, clock: clock).add(to: router)
        StartingRoutes().add(to: router)
        return router.add(middleware: NoRoute(router.routes.map { ($0.path, $0.method) }, origins: origins))
    }

    private func emptyRouter() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        if traces.isOn { router.add(middleware: TracedRequests(traces: traces)) }
        if let strict { router.add(middleware: strict) }
        return router
    }

    /// Adds the routes that pages of other origins may use; returns the group for more of them.
    @discardableResult private func addOpenRoutes(to router: Router<BasicRequestContext>, _ identity: GatewayIdentity?)
        throws -> RouterGroup<BasicRequestContext>
    {
        let open = router.group()
        open.add(middleware: CrossOriginMiddleware(origins: origins))
        try PlanRoutes(plans: plans, identity: identity).add(to: open)
        LabelRoutes(plans: plans, clock: clock).add(to: open)
        ScriptRoutes(identity: identity).add(to: open)
        for path in [
            "/v1/batches", "/v1/preview", "/v1/withdraw", "/v1/reveals", "/v1/firsts", "/v1/ohttp", "/v1/plan/:app",
        ] { open.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent) } }
        return open
    }
}

/// The route `GET /v1/plan/APP`, with its texts in the language that the client asks for.
struct PlanRoutes {
    private let plans: [(plan: Plan, documents: [LanguageTag?: ServedText])]

    /// - Parameter identity: the gateway's identity, for plans that use a relay; nil if nothing is taken yet.
    init(plans: [Plan], identity: GatewayIdentity?) throws {
        let name = HTTPField.Name(GatewayIdentity.header)
        self.plans = try plans.map { plan in
            var headers: HTTPFields = [:]
            if let name, plan.app.relay != nil { headers[name] = identity?.text }
            let languages = [nil] + plan.translations.languages.map(Optional.some)
            let documents = try languages.map { language in
                let text = String(decoding: try plan.translated(into: language).publicDocument(), as: UTF8.self)
                let served = ServedText(
                    text, type: "application/json", cachedFor: 300, headers: headers, isTranslated: plan.isTranslated)
                return (language, served)
            }
            return (plan, Dictionary(documents) { first, _ in first })
        }
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/plan/:app") { request, context in
            let app = try context.parameters.require("app")
            let found = plans.first { $0.plan.app.name.text.utf8.elementsEqual(app.utf8) }
            return found?.documents[found?.plan.language(for: request)]?.response(to: request) ?? .refusal(.unknownApp)
        }
    }
}

extension Plan {
    /// True if some of its texts are there in several languages.
    var isTranslated: Bool { !translations.languages.isEmpty }

    /// Returns the plan's language that suits the client best; nil if it reads none of them, or does not say.
    func language(for request: Request) -> LanguageTag? { isTranslated ? language(for: Self.wanted(request)) : nil }

    /// Returns the language of a label for the client; nil if the plan is in one language.
    func labelLanguage(for request: Request) -> LanguageTag? { labelLanguage(for: Self.wanted(request)) }

    static func wanted(_ request: Request) -> [LanguageTag] {
        request.headers[.acceptLanguage].map { LanguageTag.wanted(acceptLanguage: $0) } ?? []
    }
}
