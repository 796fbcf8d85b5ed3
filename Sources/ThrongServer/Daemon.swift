internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongChance
internal import ThrongCounting
internal import ThrongDelivery
internal import ThrongIntake
internal import ThrongJournal
package import ThrongPlan
internal import ThrongPortal
internal import ThrongPostgres
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore
internal import UnixSignals

/// `throng serve`: the whole way from HTTP to a delivered report, as one process.
package struct Daemon: Sendable {
    let options: DaemonOptions
    private let clock: UnixClock
    /// Scrapers, and somebody who looks.
    private static let metricsConnections = 64
    /// Browsers of partners and of those who run this.
    private static let portalConnections = 256
    let logger: Logger
    private let lifetime: Lifetime
    private let succession = Succession()
    private let stop = StopBudget()

    /// Prepares a daemon; nothing is touched before ``run()``.
    package init(_ options: DaemonOptions, logger: Logger, clock: UnixClock = .system) {
        self.options = options
        self.logger = logger
        self.clock = clock
        lifetime = Lifetime(logger: logger, reread: options.reread)
    }

    /// The same by other plans, once this one has stopped.
    private init(_ former: Daemon, by sources: [PlanSource]) {
        var options = former.options
        options.sources = sources
        options.plans = sources.map(\.plan)
        self.options = options
        logger = former.logger
        clock = former.clock
        lifetime = former.lifetime
    }

    /// Runs until SIGTERM or SIGINT: then stops accepting, answers what is in flight, flushes and returns. SIGHUP does the same
    /// where plans have changed, and goes on by the new ones.
    ///
    /// - Throws: what keeps it from starting; ``DaemonError/journalFailed`` where the journal failed on the way.
    package func run() async throws {
        Secrecy.forbidCoreFiles()
        OpenFiles.raiseLimit()
        Allocator.settle()
        try options.checkAddresses()
        try await lifetime.watched {
            var daemon = self
            var former: Daemon?
            while true {
                let parts: DaemonParts
                do {
                    parts = try await daemon.start()
                } catch {
                    // What can't be started by other plans goes on by those that were in force.
                    guard let last = former else { throw error }
                    logger.critical(
                        "throng can't start by the new plans and goes on by the former ones; mend them, or put them back",
                        metadata: ["error": "\(error)"])
                    (daemon, former) = (Daemon(last, by: last.options.sources), nil)
                    continue
                }
                try await daemon.runOnce(on: parts)
                guard let sources = lifetime.takeNext() else { return }
                logger.notice("throng starts anew by other plans")
                lifetime.starts(nil)
                (daemon, former) = (Daemon(daemon, by: sources), daemon)
            }
        }
    }

    private func runOnce(on parts: DaemonParts) async throws {
        do {
            try await run(on: parts)
        } catch {
            try await parts.cluster?.stop(within: StopBudget.clusterSeconds)
            throw error
        }
    }

    /// Opens everything; where that has to wait, clients are told so meanwhile.
    private func start() async throws -> DaemonParts {
        do {
            return try await open()
        } catch {
            guard let blocker = StartBlocker(error, dataPath: options.dataPath) else { throw error }
            let router = Router()
            try addOpenRoutes(to: router)
            PageRoutes(plans: options.plans, ingestion: nil, clock: clock).add(to: router)
            StartingRoutes().add(to: router)
            let room = StartRetries(
                server: server(
                    router, taking: nil, at: options.listen, name: "clients", connections: OpenFiles.connections),
                dataPath: options.dataPath,
                logger: logger)
            return try await room.wait(for: blocker) { blocker in
                try await open(needsWatermark: blocker != .fullDisk)
            }
        }
    }

    /// - Parameter needsWatermark: whether it is known already that nothing can be done without PostgreSQL.
    private func open(needsWatermark: Bool = false) async throws -> DaemonParts {
        let data = try DataDirectory(path: options.dataPath)
        var cluster: PrivateCluster?
        do {
            cluster =
                options.database == nil
                ? try PrivateCluster(directory: options.dataPath + "/postgres", logger: logger) : nil
            lifetime.starts(cluster)
            return try await open(data, cluster: cluster, needsWatermark: needsWatermark)
        } catch {
            // A start that fails leaves no server behind; one that waits for PostgreSQL leaves it alone.
            switch StartBlocker(error, dataPath: options.dataPath) {
            case .unknownWatermark, .predecessor: break
            case .fullDisk, nil: try await cluster?.stop(within: StopBudget.clusterSeconds)
            }
            data.unlock()
            throw error
        }
    }

    private func open(
        _ data: DataDirectory, cluster: PrivateCluster?, needsWatermark: Bool
    ) async throws -> DaemonParts {
        let rules = UserAgentRules.system
        var layouts: [MetricLayout] = []
        var terms: [MetricLayout: ReleaseTerms] = [:]
        for plan in options.plans {
            for metric in plan.metrics {
                let layout = try plan.layout(of: metric, rules: rules)
                layouts.append(layout)
                terms[layout] = plan.releaseTerms(of: metric)
            }
        }
        let settings = cluster?.settings ?? ConnectionSettings(connectionString: options.database ?? "")
        let database = DatabaseLink(
            settings: settings, cluster: cluster, layouts: layouts, terms: terms, data: data, clock: clock,
            succession: succession)
        do {
            let telemetry = Telemetry()
            let failure = FailureFlag()
            let kept = try KeptFlushes(data, options: options.kept)
            let offered = try OfferedMark(data, kept: kept.last)
            let houseClock = MachineClock(clock)
            let opening = IngestionStart(
                data: data, plans: options.plans, layouts: layouts, rules: rules, limits: options.limits,
                journal: options.journal, bodiesBytes: options.bodiesBytes, labels: LabelStore(settings),
                database: database, kept: kept, offered: offered, telemetry: telemetry, failure: failure, clock: clock,
                houseClock: houseClock, logger: logger, bounds: options.bounds)
            let (ingestion, unreadable) = try await opening.open(needsWatermark: needsWatermark)
            return DaemonParts(
                data: data, cluster: cluster, settings: settings, database: database, telemetry: telemetry,
                failure: failure, kept: kept, offered: offered, ingestion: ingestion, houseClock: houseClock,
                unreadable: unreadable)
        } catch {
            database.close(within: .zero)
            throw error
        }
    }

    private func run(on parts: DaemonParts) async throws {
        let (ingestion, database, telemetry, failure) =
            (parts.ingestion, parts.database, parts.telemetry, parts.failure)
        let rules = UserAgentRules.system
        let standing = FlushStanding()
        let releases = ReleaseStore(parts.settings)
        // Before any window ends. Where PostgreSQL is away, the schedule looks once it is back.
        let guarded = ClockGuard(
            clock: parts.houseClock, store: DatabaseClock(releases.connection), health: telemetry.schedule,
            logger: logger)
        if ingestion.knownFlushed != nil { _ = await guarded.believed() }
        let reports = ReportScheduler(
            store: releases, rules: rules, folder: options.dataPath,
            signing: options.reports.signing, delivery: options.reports.delivery, printer: options.reports.printer)
        try sayWhoSigns(reports)
        sayWhoPrints()
        let proof = ReleaseScheduler.ProofOptions(ties: try TieSecret.kept(at: options.releaseSecret))
        let deliveries = DeliveryService(
            plans: options.plans, queue: reports.deliveries, health: telemetry.deliveries, clock: clock,
            interval: options.scheduleInterval, logger: logger)
        let schedule = ScheduleService(
            plans: options.plans,
            releases: ReleaseScheduler(store: releases, rules: rules, proof: proof),
            reports: reports,
            calendar: CalendarStore(releases.connection),
            retention: RetentionWithKeys(
                house: HouseRetention(RetentionStore(releases.connection), folder: options.dataPath),
                deletions: DeletionStore(releases.connection),
                keys: BackupKeys(dataPath: options.dataPath)),
            standing: standing,
            guarded: guarded,
            settlement: Settlement(SettlementStore(releases.connection), pause: ScheduleService.rest),
            health: telemetry.schedule,
            clock: clock,
            interval: options.scheduleInterval,
            logger: logger)
        let onFenced: @Sendable (DaemonError) -> Void = { [logger] error in
            logger.critical("the flush can't go on in this process; stopping", metadata: ["error": "\(error)"])
            failure.raise(error)
        }
        let flush = FlushService(
            ingestion: ingestion,
            database: database,
            kept: parts.kept,
            offered: parts.offered,
            unreadable: parts.unreadable,
            first: ingestion.position,
            standing: standing,
            telemetry: telemetry,
            clock: clock,
            interval: options.flushInterval,
            longestInterval: options.longestFlushInterval,
            machine: .real,
            logger: logger,
            onFenced: onFenced)
        let fence = FenceWatch(
            journal: ingestion.journal, database: database, telemetry: telemetry, machine: .real, logger: logger
        ) {
            onFenced(.fenced(pending: ingestion.gauges.journalLag))
        }
        let gateway = try ObliviousGateway(
            parts.data, contentBytes: options.limits.bodyBytes, clock: clock, logger: logger)
        // Started in this order, stopped in the other: clients first, PostgreSQL last.
        var services: [any Service] = parts.cluster.map { [$0] } ?? []
        services += [
            FlushMark(budget: stop), fence, flush, schedule, deliveries, try metricsServer(ingestion, telemetry),
            try intakeServer(ingestion, gateway, telemetry), FailureWatch(flag: failure),
            GatewayKeyService(gateway: gateway),
        ]
        if ingestion.reveals.isNeeded { services.append(LabelService(learner: ingestion.reveals)) }
        let portal = Portal(parts.settings, plans: options.plans, now: { [clock] in clock.now }) {
            [cap = options.journal.capBytes] in telemetry.health(ingestion.gauges, journalCap: cap)
        }
        if let endpoint = options.portal { services.append(try portalServer(portal, ingestion, at: endpoint)) }
        services.append(
            StopWatch(budget: stop, cluster: parts.cluster, logger: logger) {
                releases.close(within: StopBudget.questions)
                portal.close(within: StopBudget.questions)
                ingestion.reveals.close(within: StopBudget.questions)
            })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
        try RunningPlans.write(options.sources, in: parts.data)
        lifetime.runs(group, by: options.sources)
        try await group.run()
        await onOwnThread {
            ingestion.odd.finish()
            ingestion.journal.stop()
        }
        parts.data.unlock()
        releases.close()
        portal.close()
        database.counters.close()
        ingestion.reveals.close()
        if let error = failure.error { throw error }
    }

    // MARK: Intake

    private func intakeServer(
        _ ingestion: Ingestion, _ gateway: ObliviousGateway, _ telemetry: Telemetry
    ) throws -> some Service {
        let router = Router()
        HealthRoutes(ingestion: ingestion).add(to: router)
        PageRoutes(plans: options.plans, ingestion: ingestion, clock: clock).add(to: router)
        let open = try addOpenRoutes(to: router)
        PreviewRoutes(ingestion: ingestion).add(to: open)
        WithdrawRoutes(ingestion: ingestion, clock: clock).add(to: open)
        if ingestion.reveals.isNeeded {
            RevealRoutes(ingestion: ingestion, telemetry: telemetry, clock: clock).add(to: open)
        }
        GatewayKeyRoutes(gateway: gateway).add(to: open)
        let intake = AnswerQueues(counting: ingestion, gateway: gateway, telemetry: telemetry)
        return server(
            router, taking: intake, at: options.listen, name: "clients", connections: OpenFiles.connections)
    }

    /// What pages of other origins may ask for; returns the group to which more of it goes.
    @discardableResult
    private func addOpenRoutes(to router: Router<BasicRequestContext>) throws -> RouterGroup<BasicRequestContext> {
        let open = router.group()
        open.add(middleware: CrossOriginMiddleware(origins: options.origins))
        try PlanRoutes(plans: options.plans).add(to: open)
        ScriptRoutes().add(to: open)
        for path in ["/v1/batches", "/v1/preview", "/v1/withdraw", "/v1/reveals", "/v1/ohttp", "/v1/plan/:app"] {
            open.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent) }
        }
        return open
    }

    private func metricsServer(_ ingestion: Ingestion, _ telemetry: Telemetry) throws -> some Service {
        let router = Router()
        let coarse = options.metrics.isLoopback ? nil : CoarseFigures()
        if coarse != nil {
            logger.notice(
                "metrics can be read from elsewhere: they are coarse", metadata: ["listen": "\(options.metrics)"])
        }
        HealthRoutes(ingestion: ingestion).add(to: router)
        MetricsRoutes(ingestion: ingestion, telemetry: telemetry, dataPath: options.dataPath, coarse: coarse)
            .add(to: router)
        return server(
            router, taking: nil, at: options.metrics, name: "metrics", connections: Self.metricsConnections)
    }

    private func portalServer(
        _ portal: Portal, _ ingestion: Ingestion, at endpoint: DaemonOptions.Endpoint
    ) throws -> some Service {
        let router = Router()
        HealthRoutes(ingestion: ingestion).add(to: router)
        try portal.add(to: router)
        return server(router, taking: nil, at: endpoint, name: "people", connections: Self.portalConnections)
    }

    private func server(
        _ router: Router<BasicRequestContext>, taking queues: AnswerQueues?, at endpoint: DaemonOptions.Endpoint,
        name: String, connections: Int
    ) -> some Service {
        let limits = ConnectionDeadline.Limits(
            request: TimeAmount(options.requestDeadline), idle: TimeAmount(options.idleTimeout))
        let room = ConnectionRoom(places: connections)
        let application = Application(
            router: router,
            server: HTTPServerBuilder { [origins = options.origins] responder in
                HTTPChannel(responder: responder, queues: queues, origins: origins, limits: limits, room: room)
            },
            configuration: .init(
                address: .hostname(endpoint.host, port: endpoint.port), serverName: nil,
                // Those that have to go for others may still be open for a moment.
                availableConnectionsDelegate: MaximumAvailableConnections(connections + connections / 8)),
            onServerRunning: { [logger] channel in
                let port = channel.localAddress?.port ?? endpoint.port
                logger.info("listening", metadata: ["for": "\(name)", "host": "\(endpoint.host)", "port": "\(port)"])
            },
            logger: logger)
        return BoundedServer(server: application, budget: stop)
    }
}
