internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongCredentials
internal import ThrongPlan

/// The servers: for clients, other daemons, Prometheus and people.
extension Daemon {
    func intakeServer(
        _ ingestion: Ingestion, _ gateway: ObliviousGateway, _ issuer: CredentialIssuer, _ sessions: TLSSessions?
    ) throws -> some Service {
        server(
            try clientRoutes.router(for: ingestion, gateway, issuer, isStopping: isStopping),
            taking: AnswerQueues(
                counting: ingestion, gateway: gateway, telemetry: ingestion.telemetry, traces: tracing.traces),
            at: options.listen, by: clientEdge(sessions), name: "clients",
            status: "counts for \(options.plans.map(\.app.name.text).sorted().joined(separator: ", "))",
            connections: OpenFiles.clients(besideDaemons: options.members != nil))
    }

    /// Returns the server to which other daemons hand on this one's requests. Nobody else is answered.
    func memberServer(
        _ ingestion: Ingestion, _ gateway: ObliviousGateway, _ issuer: CredentialIssuer,
        at endpoint: DaemonOptions.Endpoint
    ) throws -> some Service {
        var routes = clientRoutes
        routes.isForMembers = true
        return server(
            try routes.router(for: ingestion, gateway, issuer, isStopping: isStopping),
            taking: AnswerQueues(
                counting: ingestion, gateway: gateway, telemetry: ingestion.telemetry, isForMembers: true),
            at: endpoint, by: edge(sessions(asksClients: false), at: endpoint), name: "daemons",
            connections: OpenFiles.daemons)
    }

    private var isStopping: @Sendable () -> Bool { { [stop] in stop.isAnnounced } }

    var clientRoutes: ClientRoutes {
        ClientRoutes(
            plans: options.plans, origins: options.origins, clock: clock, strict: strict,
            traces: tracing.traces)
    }

    func metricsServer(_ ingestion: Ingestion) throws -> some Service {
        let router = Router()
        // Pages of other sites could read this one, as it takes no token.
        router.add(middleware: KnownHosts(options.metricsHosts + [options.metrics.host].compactMap(\.self)))
        let coarse = options.metrics.isLoopback ? nil : CoarseFigures()
        if coarse != nil {
            logger.notice(
                "metrics can be read from elsewhere: they are coarse", metadata: ["listen": "\(options.metrics)"])
        }
        HealthRoutes(ingestion: ingestion, isStopping: isStopping, isForOperators: true).add(to: router)
        MetricsRoutes(
            ingestion: ingestion, dataPath: options.dataPath, certificates: certificates, coarse: coarse
        ).add(to: router)
        return server(
            router, at: options.metrics, by: edge(nil, at: options.metrics), name: "metrics",
            connections: OpenFiles.scrapers, isPreferred: true)
    }

    func portalServer(
        _ portal: Portal, _ ingestion: Ingestion, at endpoint: DaemonOptions.Endpoint
    ) throws -> some Service {
        let router = publicRouter()
        HealthRoutes(ingestion: ingestion, isStopping: isStopping).add(to: router)
        try portal.add(to: router)
        return server(
            router, at: endpoint,
            by: edge(sessions(asksClients: false), at: endpoint, forwarders: options.forwarders), name: "people",
            connections: OpenFiles.browsers, marksNetworks: true)
    }

    func server(
        _ router: Router<BasicRequestContext>, taking queues: AnswerQueues? = nil, at endpoint: DaemonOptions.Endpoint,
        by edge: ConnectionEdge, name: String, status: String? = nil, connections: Int,
        marksNetworks: Bool = false, isPreferred: Bool = false
    ) -> some Service {
        let application = edge.application(
            router, taking: queues, at: endpoint, connections: connections,
            limits: .init(request: TimeAmount(options.requestDeadline), idle: TimeAmount(options.idleTimeout)),
            origins: options.origins, marksNetworks: marksNetworks, isPreferred: isPreferred, logger: logger
        ) { [logger, options] port in
            logger.info("listening", metadata: endpoint.facts(bound: port).merging(["for": "\(name)"]) { $1 })
            options.onListening?(name, endpoint.url(bound: port, isSecure: edge.sessions != nil))
            if let status { options.serviceManager?.say(.ready(status)) }
        }
        return BoundedServer(server: application, budget: stop)
    }

    // MARK: The edge

    var asksClients: Bool { options.tls?.clientAuthorities != nil }

    func publicRouter() -> Router<BasicRequestContext> {
        let router = Router()
        if let strict { router.add(middleware: strict) }
        return router
    }

    /// The header that makes browsers use https only; nil without TLS.
    private var strict: StrictTransport? { options.tls == nil ? nil : StrictTransport() }

    /// Returns TLS sessions for one listener: those of another can't be resumed there. Nil without TLS.
    func sessions(asksClients: Bool) -> TLSSessions? {
        certificates.map { certificates in
            TLSSessions(
                certificates, rotations: Set(options.plans.flatMap { $0.purposes.map(\.rotation) }),
                asksClients: asksClients)
        }
    }

    func clientEdge(_ sessions: TLSSessions?) -> ConnectionEdge {
        edge(sessions, at: options.listen, proxies: options.proxies, forwarders: options.forwarders)
    }

    private func edge(
        _ sessions: TLSSessions?, at endpoint: DaemonOptions.Endpoint, proxies: Proxies = .none,
        forwarders: Proxies = .none
    ) -> ConnectionEdge {
        ConnectionEdge(
            sessions: sessions, proxies: proxies, forwarders: forwarders, isSocket: endpoint.file != nil,
            warnings: warnings, clock: clock, security: security)
    }
}

extension ConnectionEdge {
    /// Returns the server of a router at an address; `onListening` gets the port.
    func application<Context: RequestContext>(
        _ router: Router<Context>, taking queues: AnswerQueues? = nil, at endpoint: DaemonOptions.Endpoint,
        connections: Int, limits: ConnectionDeadline.Limits, origins: CrossOrigin = .everywhere,
        marksNetworks: Bool = false, isPreferred: Bool = false, logger: Logger,
        onListening: @escaping @Sendable (Int?) -> Void
    ) -> some ApplicationProtocol where Context.Source == ApplicationRequestContextSource {
        let room = ConnectionRoom(places: connections)
        let turns = LoopFairness.All()
        return Application(
            router: router,
            server: HTTPServerBuilder { responder in
                HTTPChannel(
                    responder: responder, queues: queues, origins: origins, limits: limits, room: room, edge: self,
                    turns: turns, marksNetworks: marksNetworks)
            },
            configuration: .init(
                address: endpoint.address, serverName: nil,
                // Connections that are being closed for others may still be open for a moment.
                availableConnectionsDelegate: MaximumAvailableConnections(connections + connections / 8)),
            onServerRunning: { channel in
                await ListenerWatch.watch(channel, isPreferred: isPreferred, security: security)
                endpoint.file?.admitGroup()
                onListening(channel.localAddress?.port)
            },
            logger: logger)
    }
}
