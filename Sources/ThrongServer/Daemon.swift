internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongCounting
internal import ThrongIntake
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongPortal
internal import ThrongReport
internal import ThrongStore
internal import UnixSignals

/// `throng serve`: the whole way from HTTP to a delivered report, as one process.
public struct Daemon: Sendable {
    private let options: DaemonOptions
    private let clock: UnixClock
    /// Scrapers, and somebody who looks.
    private static let metricsConnections = 16
    /// Browsers of partners and of those who run this.
    private static let portalConnections = 256
    private let logger: Logger

    /// Prepares a daemon; nothing is touched before ``run()``.
    public init(_ options: DaemonOptions, logger: Logger, clock: UnixClock = .system) {
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// Runs until SIGTERM or SIGINT: then stops accepting, answers what is in flight, flushes and returns.
    ///
    /// - Throws: what keeps it from starting; ``DaemonError/journalFailed`` where the journal failed on the way.
    public func run() async throws {
        Secrecy.forbidCoreFiles()
        OpenFiles.raiseLimit()
        Allocator.settle()
        let footing = try await start()
        do {
            try await run(on: footing)
        } catch {
            try await footing.cluster?.stop()
            throw error
        }
    }

    /// Opens everything; where that has to wait, clients are told so meanwhile.
    private func start() async throws -> Footing {
        do {
            return try await open()
        } catch {
            guard let hindrance = Hindrance(error, dataPath: options.dataPath) else { throw error }
            let router = Router()
            try addOpenRoutes(to: router)
            PageRoutes(plans: options.plans, desk: nil, clock: clock).add(to: router)
            WaitingRoutes().add(to: router)
            let room = WaitingRoom(
                server: server(
                    router, taking: nil, at: options.listen, name: "clients", connections: OpenFiles.connections),
                dataPath: options.dataPath,
                logger: logger)
            return try await room.wait(for: hindrance) { hindrance in
                try await open(needsWatermark: hindrance == .unknownWatermark)
            }
        }
    }

    /// - Parameter needsWatermark: whether it is known already that nothing can be done without PostgreSQL.
    private func open(needsWatermark: Bool = false) async throws -> Footing {
        let data = try DataDirectory(path: options.dataPath)
        var cluster: PrivateCluster?
        do {
            cluster = try await startCluster()
            return try await open(data, cluster: cluster, needsWatermark: needsWatermark)
        } catch {
            // A start that fails leaves no server behind.
            try await cluster?.stop()
            data.unlock()
            throw error
        }
    }

    private func startCluster() async throws -> PrivateCluster? {
        guard options.database == nil else { return nil }
        let cluster = try PrivateCluster(directory: options.dataPath + "/postgres", logger: logger)
        try await cluster.start()
        return cluster
    }

    private func open(
        _ data: DataDirectory, cluster: PrivateCluster?, needsWatermark: Bool
    ) async throws -> Footing {
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
        let database = DatabaseLink(settings: settings, layouts: layouts, terms: terms, data: data)
        let telemetry = Telemetry()
        let failure = FailureFlag()
        let kept = try KeptFlushes(data, options: options.kept)
        let offered = try OfferedMark(data, kept: kept.last)
        let (desk, unreadable) = try await openDesk(
            data, layouts: layouts, rules: rules, settings: settings, database: database, kept: kept, offered: offered,
            telemetry: telemetry, failure: failure, needsWatermark: needsWatermark)
        return Footing(
            data: data, cluster: cluster, settings: settings, database: database, telemetry: telemetry,
            failure: failure, kept: kept, offered: offered, desk: desk, unreadable: unreadable)
    }

    private func run(on footing: Footing) async throws {
        let (desk, database, telemetry, failure) =
            (footing.desk, footing.database, footing.telemetry, footing.failure)
        let rules = UserAgentRules.system
        let standing = FlushStanding()
        let releases = ReleaseStore(footing.settings)
        // Deliveries have leases to keep: they don't queue behind a release's proof.
        let sending = ReleaseStore(footing.settings)
        let reports = ReportDesk(
            store: releases, deliveringThrough: sending, rules: rules, folder: options.dataPath,
            signing: ReportKeyFolder(keyPath: options.reportKey), delivery: options.delivery,
            printer: options.printer)
        try sayWhoSigns(reports)
        sayWhoPrints()
        let deliveries = DeliveryService(
            plans: options.plans, desk: reports.deliveries, telemetry: telemetry, clock: clock,
            interval: options.scheduleInterval, logger: logger)
        let schedule = ScheduleService(
            plans: options.plans,
            releases: ReleaseDesk(store: releases, rules: rules),
            reports: reports,
            store: releases,
            standing: standing,
            telemetry: telemetry,
            clock: clock,
            interval: options.scheduleInterval,
            logger: logger)
        let onFenced: @Sendable (DaemonError) -> Void = { [logger] error in
            logger.critical("the flush can't go on in this process; stopping", metadata: ["error": "\(error)"])
            failure.raise(error)
        }
        let flush = FlushService(
            desk: desk,
            database: database,
            kept: footing.kept,
            offered: footing.offered,
            unreadable: footing.unreadable,
            standing: standing,
            telemetry: telemetry,
            clock: clock,
            interval: options.flushInterval,
            longestInterval: options.longestFlushInterval,
            logger: logger,
            onFenced: onFenced)
        let fence = FenceWatch(journal: desk.journal, database: database, logger: logger) {
            onFenced(.fenced(pending: desk.gauges.journalLag))
        }
        // Started in this order, stopped in the other: clients first, PostgreSQL last.
        var services: [any Service] = footing.cluster.map { [$0] } ?? []
        services += [
            fence, flush, schedule, deliveries, try metricsServer(desk, telemetry), try intakeServer(desk, telemetry),
            FailureWatch(flag: failure),
        ]
        if desk.reveals.isNeeded { services.append(LabelService(desk: desk.reveals)) }
        let portal = Portal(footing.settings, plans: options.plans, now: { [clock] in clock.now }) {
            [cap = options.journal.capBytes] in telemetry.health(desk.gauges, journalCap: cap)
        }
        if let endpoint = options.portal { services.append(try portalServer(portal, at: endpoint)) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        try await group.run()
        await onOwnThread { desk.journal.stop() }
        footing.data.unlock()
        releases.close()
        sending.close()
        portal.close()
        database.counters.close()
        desk.reveals.close()
        if let error = failure.error { throw error }
    }

    /// - Throws: `ReportKeyError` where there is a key that can't be used: better now than at the first report.
    private func sayWhoSigns(_ reports: ReportDesk) throws {
        guard options.plans.contains(where: { !$0.reports.isEmpty }) else { return }
        if let key = try reports.signing.current() {
            logger.info("reports are signed", metadata: ["key": "\(key.publicKey.id)"])
        } else {
            logger.notice("reports are not signed: `throng key new` makes a key")
        }
    }

    private func sayWhoPrints() {
        guard options.plans.contains(where: { $0.reports.contains { $0.formats.contains(.pdf) } }) else { return }
        do throws(PrintError) {
            let program = try options.printer.program()
            logger.info("reports are printed", metadata: ["program": "\(program)"])
        } catch {
            logger.warning("reports go without their PDF", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Intake

    private func openDesk(
        _ data: DataDirectory,
        layouts: [MetricLayout],
        rules: UserAgentRules,
        settings: ConnectionSettings,
        database: DatabaseLink,
        kept: KeptFlushes,
        offered: OfferedMark,
        telemetry: Telemetry,
        failure: FailureFlag,
        needsWatermark: Bool
    ) async throws -> (CountingDesk, unreadable: JournalPosition) {
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys)
        let space = CellSpace(layouts: layouts + (try reader.layouts()))
        // What was kept from the watermark on is flushed first; the journal goes on from there.
        let found = try await knownWatermark(database)
        if found == nil, needsWatermark { throw DaemonError.watermarkNeeded(journal: reader.base.value) }
        let watermark = found.map { kept.end(from: $0) ?? $0 }
        if let found, let watermark, watermark < reader.base {
            throw DaemonError.watermarkTooOld(database: found.value, journal: reader.base.value)
        }
        var counting = Counting(space: space, position: reader.base, watermark: watermark)
        let now = clock.now
        var batches = 0
        let replayed: JournalReader.Replayed
        do throws(JournalError) {
            replayed = try reader.replay(space: space, flushed: watermark) { record in
                counting.replay(record, now: now)
                batches += 1
            }
        } catch {
            // A start after damage went on behind PostgreSQL's watermark; or a segment is gone. PostgreSQL knows.
            guard watermark == nil, case .gap(let expected, let found, _) = error, found > expected else { throw error }
            throw DaemonError.watermarkNeeded(journal: expected.value - 1)
        }
        // A position that PostgreSQL has counted already must not be handed out again.
        if watermark == nil, !offered.covers(replayed.last, isTorn: replayed.torn.contains { !$0.isBlank }) {
            throw DaemonError.watermarkNeeded(journal: replayed.last.value)
        }
        counting.reach(replayed.last)
        for tail in replayed.torn {
            try tail.setAside()
            let facts: Logger.Metadata = [
                "segment": "\(tail.segment)", "bytes": "\(tail.count)", "kept": "\(tail.isBlank ? "" : tail.aside)",
                "last": "\(tail.last.value)", "database": "\(watermark.map { "\($0.value)" } ?? "away")",
            ]
            if tail.isOvertaken {
                logger.error(
                    "a process wrote to the journal after another had taken its place: does the file system keep locks?",
                    metadata: facts)
                continue
            }
            logger.warning(
                "the journal ended in bytes that are no record: a write that was cut off and never acknowledged, or damage",
                metadata: facts)
        }
        if batches > 0 { logger.info("replayed the journal", metadata: ["batches": "\(batches)"]) }
        let journal = try Journal(
            data,
            space: space,
            after: replayed,
            position: counting.position,
            options: options.journal,
            onFull: { [logger] isFull in
                if isFull {
                    logger.error("the journal's disk is full; clients are told to come again until there is space")
                } else {
                    logger.notice("the journal's disk has space again")
                }
            }
        ) { [logger] error in
            logger.critical("the journal failed; stopping", metadata: ["error": "\(error)"])
            failure.raise(.journalFailed)
        }
        let intake = try Intake(plans: options.plans, space: space, rules: rules, limits: options.limits)
        let reveals = RevealDesk(
            plans: options.plans, vocabulary: intake.vocabulary, keys: keys, store: LabelStore(settings),
            telemetry: telemetry, logger: logger)
        // Known labels count under their names from the first batch on, if PostgreSQL is there to tell them.
        if watermark != nil { await reveals.refreshIfPossible() }
        let desk = CountingDesk(
            intake: intake,
            counting: counting,
            keys: keys,
            journal: journal,
            reveals: reveals,
            telemetry: telemetry,
            bodies: BodyBudget(limit: options.bodiesBytes),
            clock: clock
        ) { [logger] error in
            logger.critical("a batch could not be journalled; stopping", metadata: ["error": "\(error)"])
            failure.raise(.journalFailed)
        }
        return (desk, replayed.unreadable)
    }

    /// The watermark, or nil while PostgreSQL is away: then the journal takes what comes until it is back.
    private func knownWatermark(_ database: DatabaseLink) async throws -> JournalPosition? {
        do {
            return try await database.attachedNow()
        } catch let error as StoreError where error.isRetryable {
            logger.warning(
                "PostgreSQL is away; counting into the journal until it is back", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func intakeServer(_ desk: CountingDesk, _ telemetry: Telemetry) throws -> some Service {
        let router = Router()
        HealthRoutes(desk: desk).add(to: router)
        PageRoutes(plans: options.plans, desk: desk, clock: clock).add(to: router)
        let open = try addOpenRoutes(to: router)
        PreviewRoutes(desk: desk).add(to: open)
        if desk.reveals.isNeeded { RevealRoutes(desk: desk, telemetry: telemetry, clock: clock).add(to: open) }
        let intake = IntakeDesk(counting: desk, telemetry: telemetry)
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
        for path in ["/v1/batches", "/v1/preview", "/v1/reveals", "/v1/plan/:app"] {
            open.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent) }
        }
        return open
    }

    private func metricsServer(_ desk: CountingDesk, _ telemetry: Telemetry) throws -> some Service {
        let router = Router()
        MetricsRoutes(desk: desk, telemetry: telemetry, dataPath: options.dataPath).add(to: router)
        return server(
            router, taking: nil, at: options.metrics, name: "metrics", connections: Self.metricsConnections)
    }

    private func portalServer(_ portal: Portal, at endpoint: DaemonOptions.Endpoint) throws -> some Service {
        let router = Router()
        try portal.add(to: router)
        return server(router, taking: nil, at: endpoint, name: "people", connections: Self.portalConnections)
    }

    private func server(
        _ router: Router<BasicRequestContext>, taking desk: IntakeDesk?, at endpoint: DaemonOptions.Endpoint,
        name: String, connections: Int
    ) -> some Service {
        let limits = ConnectionDeadline.Limits(
            request: TimeAmount(options.requestDeadline), idle: TimeAmount(options.idleTimeout))
        return Application(
            router: router,
            server: HTTPServerBuilder { [origins = options.origins] responder in
                HTTPChannel(responder: responder, desk: desk, origins: origins, limits: limits)
            },
            configuration: .init(
                address: .hostname(endpoint.host, port: endpoint.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(connections)),
            onServerRunning: { [logger] channel in
                let port = channel.localAddress?.port ?? endpoint.port
                logger.info("listening", metadata: ["for": "\(name)", "host": "\(endpoint.host)", "port": "\(port)"])
            },
            logger: logger)
    }
}
