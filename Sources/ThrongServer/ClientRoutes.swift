internal import HTTPTypes
internal import Hummingbird
internal import ThrongCredentials
internal import ThrongPlan
internal import ThrongSystem
internal import ThrongWire

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
        WithdrawRoutes(ingestion: ingestion, clock: clock).add(to: open)
        let keys = open.group().add(middleware: KeyHolderMiddleware(ingestion: ingestion))
        GatewayKeyRoutes(gateway: gateway).add(to: keys)
        CredentialRoutes(ingestion: ingestion, issuer: issuer).add(to: keys)
        FirstRoutes(ingestion: ingestion, clock: clock).add(to: keys)
        if ingestion.reveals.isNeeded {
            RevealRoutes(ingestion: ingestion, telemetry: ingestion.telemetry, clock: clock).add(to: open)
        }
        return router.add(middleware: NoRoute(router.routes.map { ($0.path, $0.method) } + Self.unrouted))
    }

    func startingRouter() throws -> Router<BasicRequestContext> {
        let router = emptyRouter()
        try addOpenRoutes(to: router, nil)
        PageRoutes(plans: plans, ingestion: nil, clock: clock).add(to: router)
        StartingRoutes().add(to: router)
        return router.add(middleware: NoRoute(router.routes.map { ($0.path, $0.method) }))
    }

    private func emptyRouter() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        if traces.isOn { router.add(middleware: TracedRequests(traces: traces)) }
        if let strict { router.add(middleware: strict) }
        return router
    }

    /// Adds the routes that pages of other origins may use; returns the group for more of them.
    @discardableResult
    private func addOpenRoutes(
        to router: Router<BasicRequestContext>, _ identity: GatewayIdentity?
    ) throws -> RouterGroup<BasicRequestContext> {
        let open = router.group()
        open.add(middleware: CrossOriginMiddleware(origins: origins))
        try PlanRoutes(plans: plans, identity: identity).add(to: open)
        LabelRoutes(plans: plans, clock: clock).add(to: open)
        ScriptRoutes(identity: identity).add(to: open)
        for path in [
            "/v1/batches", "/v1/preview", "/v1/withdraw", "/v1/reveals", "/v1/firsts", "/v1/ohttp", "/v1/plan/:app",
        ] {
            open.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent) }
        }
        return open
    }
}
