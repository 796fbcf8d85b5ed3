internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import ServiceLifecycle
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

extension Daemon {
    /// Runs the services of an open daemon until the stop, and closes what they used.
    func run(on parts: DaemonParts) async throws {
        let standing = FlushStanding()
        // The clock is checked before any window ends. If PostgreSQL is away, the schedule checks it once it is back.
        let guarded = clockGuard(parts)
        if parts.ingestion.knownFlushed != nil { _ = await guarded.believed() }
        let reports = try reportScheduler(parts)
        let deliveries = deliveryService(reports, parts.telemetry)
        let schedule = try scheduleService(parts, reports, standing, guarded)
        let flush = flushService(parts, standing)
        let fence = fenceWatch(parts)
        // This look comes first: another daemon's events are not counted here, if PostgreSQL answers in time.
        let neighbours = memberWatch(parts)
        if parts.ingestion.knownFlushed != nil { try await neighbours.lookFirst() }
        sayWhetherItHasLeft(parts.data)
        let clientSessions = sessions(asksClients: asksClients)
        let gateway = try ObliviousGateway(
            parts.data, contentBytes: options.limits.bodyBytes, clock: clock, logger: logger)
        let issuer = CredentialIssuer(
            options.credentials.rules, keys: parts.credentialKeys, data: parts.data, clock: clock, logger: logger)
        // Started in this order, stopped in the other: clients first, PostgreSQL last.
        var services: [any Service] = parts.cluster.map { [$0] } ?? []
        services += [FlushMark(budget: stop), fence, flush]
        services.append(
            PeriodicTask(.members, every: .seconds(1), on: parts.telemetry.rounds) { try await neighbours.look() })
        services += [planWatch(parts), schedule, deliveries]
        services.append(SecurityLogService(log: security, telemetry: parts.telemetry, logger: logger))
        services.append(try metricsServer(parts.ingestion))
        services.append(try intakeServer(parts.ingestion, gateway, issuer, clientSessions))
        services.append(parts.failure)
        services += keyRounds(parts, gateway)
        services += countingRounds(parts, clientSessions)
        // Sessions are forgotten even if nobody signs in here: another daemon may be gone.
        let portal = portal(of: parts)
        services.append(
            PeriodicTask(.sessions, every: .seconds(60), on: parts.telemetry.rounds) {
                try await portal.forgetSessions()
            })
        if let endpoint = options.members {
            services.append(try memberServer(parts.ingestion, gateway, issuer, at: endpoint))
        }
        if let endpoint = options.portal { services.append(try portalServer(portal, parts.ingestion, at: endpoint)) }
        services.append(stopWatch(parts, portal))
        let group = serviceGroup(services)
        try RunningPlans.write(options.sources, in: parts.data)
        await lifetime.runs(group, by: options.sources, stop: stop)
        try await group.run()
        await close(parts, portal)
        if let error = parts.failure.error { throw error }
    }

    private func sayWhetherItHasLeft(_ data: DataDirectory) {
        guard data.hasLeft else { return }
        logger.warning(
            """
            PostgreSQL can't be reached, and was told that this daemon stopped: nothing is counted before it knows \
            better, because others are there that may release
            """)
    }

    private func portal(of parts: DaemonParts) -> Portal {
        Portal(
            parts.settings, plans: options.plans, signing: options.reports.signing, now: { [clock] in clock.now },
            onRefusal: { [security] in security.note($0) }, health: health(of: parts))
    }

    private func serviceGroup(_ services: [any Service]) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
    }

    /// Returns the service that gives questions to PostgreSQL a last while once the daemon stops.
    private func stopWatch(_ parts: DaemonParts, _ portal: Portal) -> StopWatch {
        StopWatch(budget: stop, cluster: parts.cluster, logger: logger) { [ingestion = parts.ingestion] in
            parts.releases.close(within: StopBudget.questions)
            portal.close(within: StopBudget.questions)
            // The last flush asks it who is there.
            parts.members.close(within: StopBudget.untilFlushed)
            ingestion.reveals.close(within: StopBudget.questions)
            ingestion.firsts?.close(within: StopBudget.questions)
        }
    }

    private func close(_ parts: DaemonParts, _ portal: Portal) async {
        let ingestion = parts.ingestion
        await onOwnThread {
            ingestion.slow.finish()
            ingestion.proving.finish()
            ingestion.journal.stop()
        }
        parts.data.unlock()
        parts.releases.close()
        parts.pages?.close()
        portal.close()
        parts.database.counters.close()
        ingestion.reveals.close()
        ingestion.firsts?.close()
    }
}

/// The parts of a daemon once its data directory is open and its journal replayed.
struct DaemonParts: Sendable {
    let data: DataDirectory
    /// The daemon's own PostgreSQL; nil if it runs none.
    let cluster: PrivateCluster?
    let settings: ConnectionSettings
    let database: DatabaseLink
    let telemetry: Telemetry
    let failure: FailureFlag
    let kept: KeptFlushes
    let offered: OfferedMark
    let ingestion: Ingestion
    let trustedClock: MachineClock
    /// The keys that issue credentials and check presented ones.
    let credentialKeys: EpochKeys
    /// The position up to which the journal can't be read: PostgreSQL or kept flushes must have what is before.
    let unreadable: JournalPosition
    let releases: ReleaseStore
    let members: MemberStore
    /// The connection that rewrites pages which age has emptied; nil unless the daemon runs its own PostgreSQL.
    let pages: Connection?
}

/// The servers: for clients, other daemons, Prometheus and people.
extension Daemon {
    func intakeServer(
        _ ingestion: Ingestion, _ gateway: ObliviousGateway, _ issuer: CredentialIssuer, _ sessions: TLSSessions?
    ) throws -> some Service {
        server(
            try clientRoutes.router(for: ingestion, gateway, issuer, isStopping: isStopping),
            taking: AnswerQueues(counting: ingestion, gateway: gateway, traces: tracing.traces),
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
            taking: AnswerQueues(counting: ingestion, gateway: gateway, isForMembers: true),
            at: endpoint, by: edge(sessions(asksClients: false), at: endpoint), name: "daemons",
            connections: OpenFiles.daemons)
    }

    private var isStopping: @Sendable () -> Bool { { [stop] in stop.isAnnounced } }

    var clientRoutes: ClientRoutes {
        ClientRoutes(
            plans: options.plans, origins: options.origins, clock: clock, strict: strict, traces: tracing.traces)
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
            router, at: endpoint, by: edge(sessions(asksClients: false), at: endpoint, forwarders: options.forwarders),
            name: "people", connections: OpenFiles.browsers, marksNetworks: true)
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
    private var strict: StrictTransport? { options.tls.map { StrictTransport(isForSubdomains: $0.isForSubdomains) } }

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

/// HTTP/1.1 as Hummingbird serves it, but batches are answered before its router, and slow clients are bounded.
struct HTTPChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    /// The queues for batches; nil if none are taken.
    let queues: AnswerQueues?
    let origins: CrossOrigin
    let limits: ConnectionDeadline.Limits
    let room: ConnectionRoom
    let edge: ConnectionEdge
    let turns: LoopFairness.All
    var marksNetworks = false

    /// The sizes of a read. Unit: bytes.
    private static let reads = AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10)
    /// The longest request line with its headers. Unit: bytes.
    private static let largestHead = 80 << 10

    static func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = largestHead
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        // The decoder keeps the bytes after an upgrade that nobody offered, and they must have a limit.
        return ByteToMessageHandler(decoder, maximumBufferSize: 2 * largestHead)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A read is decoded at once, and nobody else has a turn meanwhile.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.reads)
            let pipeline = channel.pipeline.syncOperations
            let source = try edge.begin(pipeline)
            let socket = SocketEnd()
            try pipeline.addHandler(socket)
            // Requests wait in BatchHandler until their predecessor is answered; it answers malformed ones.
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(Self.decoder())
            try pipeline.addHandler(ConnectionDeadline(self.limits, in: room, from: source, security: edge.security))
            try pipeline.addHandler(
                BatchHandler(
                    ingestion: queues?.counting, isForMembers: queues?.isForMembers == true,
                    marksNetworks: marksNetworks, queue: queues?.queue(of: channel.eventLoop), socket: socket,
                    source: source, origins: origins,
                    security: edge.security, turns: turns.turns(of: channel.eventLoop)))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: edge.sessions != nil))
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
