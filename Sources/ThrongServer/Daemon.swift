internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongChance
internal import ThrongCounting
internal import ThrongCredentials
internal import ThrongDelivery
internal import ThrongFiles
internal import ThrongIntake
internal import ThrongJournal
package import ThrongPlan
internal import ThrongPortal
internal import ThrongPostgres
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongTraces
internal import UnixSignals

/// `throng serve`: the whole way from HTTP to a delivered report, as one process.
package struct Daemon: Sendable {
    let options: DaemonOptions
    let clock: UnixClock
    let logger: Logger
    private let lifetime: Lifetime
    /// The certificate; nil without TLS.
    let certificates: Certificates?
    let complaints: ProxyComplaints
    let security: SecurityLog
    let tracing: Tracing
    private let succession = Succession()
    let stop = StopBudget()

    /// Prepares a daemon; nothing is touched before ``run()``.
    package init(_ options: DaemonOptions, logger: Logger, clock: UnixClock = .system) {
        self.options = options
        self.logger = logger
        self.clock = clock
        certificates = options.tls.map { Certificates($0, clock: clock, logger: logger) }
        security = SecurityLog(logger)
        tracing = Tracing(options.traces, logger: logger)
        complaints = ProxyComplaints(logger, security)
        lifetime = Lifetime(
            logger: logger, certificates: certificates, reread: options.reread, drain: options.drain,
            manager: options.serviceManager)
    }

    /// Creates the same daemon with other plans, to run once the former has stopped.
    private init(_ former: Daemon, by sources: [PlanSource]) {
        var options = former.options
        options.sources = sources
        options.plans = sources.map(\.plan)
        self.options = options
        logger = former.logger
        clock = former.clock
        certificates = former.certificates
        complaints = former.complaints
        security = former.security
        tracing = former.tracing
        lifetime = former.lifetime
    }

    /// Runs until SIGTERM or SIGINT: then stops accepting, answers requests in flight, flushes and returns. SIGHUP does
    /// the same if plans have changed, and goes on with the new ones.
    ///
    /// - Throws: the error that keeps it from starting; ``DaemonError/journalFailed`` if the journal failed on the way.
    package func run() async throws {
        Secrecy.forbidCoreFiles()
        OpenFiles.settle()
        Allocator.settle()
        try certificates?.load()
        try options.checkAddresses()
        defer { options.removeSockets() }
        try await lifetime.watched {
            var daemon = self
            var former: Daemon?
            while true {
                let parts: DaemonParts
                do {
                    parts = try await daemon.start()
                } catch {
                    // A daemon that can't start with other plans goes on with the former ones.
                    guard let last = former else { throw error }
                    logger.critical(
                        "throng can't start by the new plans and goes on by the former ones; mend them, or put them back",
                        metadata: ["error": "\(error)"])
                    (daemon, former) = (Daemon(last, by: last.options.sources), nil)
                    continue
                }
                try await daemon.runOnce(on: parts)
                await tracing.exporter?.round()
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

    /// Opens everything; if that has to wait, clients are told so meanwhile.
    private func start() async throws -> DaemonParts {
        do {
            return try await open()
        } catch {
            guard let blocker = StartBlocker(error, dataPath: options.dataPath) else { throw error }
            let router = try clientRoutes.startingRouter()
            let room = StartRetries(
                server: server(
                    router, taking: nil, at: options.listen, by: clientEdge(sessions(asksClients: asksClients)),
                    name: "clients", status: "waits for its place, its disk or PostgreSQL",
                    connections: OpenFiles.clients(besideDaemons: options.members != nil)),
                dataPath: options.dataPath,
                logger: logger)
            return try await room.wait(for: blocker) { blocker in
                try await open(needsWatermark: blocker != .fullDisk)
            }
        }
    }

    /// - Parameter needsWatermark: true if the start is known to need PostgreSQL.
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
        try checkReleaseSecret(data)
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
        let telemetry = Telemetry(spans: tracing.queue, rounds: RoundHealth(clock: clock, logger: logger))
        data.onDamage { [logger] damage in
            telemetry.fileIsDamaged()
            logger.error(
                "a file of the data directory is damaged; counting goes on without it", metadata: ["error": "\(damage)"]
            )
        }
        let database = DatabaseLink(
            settings: settings, cluster: cluster, layouts: layouts, terms: terms, data: data, clock: clock,
            succession: succession, address: options.memberAddress,
            plans: Dictionary(uniqueKeysWithValues: options.plans.map { ($0.app.name, $0.version) }),
            standings: telemetry.plans)
        do {
            let failure = FailureFlag()
            let kept = try KeptFlushes(data, options: options.kept)
            let offered = try OfferedMark(data, kept: kept.last)
            let houseClock = MachineClock(clock)
            let credentialKeys = try EpochKeys(
                data, apps: options.credentials.rules.keys.sorted(), clock: clock, logger: logger)
            sayWhoIsNotVouchedFor()
            let opening = IngestionStart(
                data: data, plans: options.plans, layouts: layouts, rules: rules, limits: options.limits,
                journal: tracing.following(options.journal), bodiesBytes: options.bodiesBytes,
                labels: LabelStore(settings),
                database: database, kept: kept, offered: offered, telemetry: telemetry, failure: failure, clock: clock,
                houseClock: houseClock, logger: logger, bounds: options.bounds, quotas: options.quotas,
                proofs: ProofCheck(keys: credentialKeys),
                firsts: options.plans.contains { $0.metrics.contains(where: \.provesFirsts) }
                    ? FirstStore(settings) : nil,
                neighbours: try Neighbours(
                    data, isShared: options.database != nil, isReachable: options.members != nil,
                    authorities: options.memberAuthorities, logger: logger))
            let (ingestion, unreadable) = try await opening.open(needsWatermark: needsWatermark)
            return DaemonParts(
                data: data, cluster: cluster, settings: settings, database: database, telemetry: telemetry,
                failure: failure, kept: kept, offered: offered, ingestion: ingestion, houseClock: houseClock,
                credentialKeys: credentialKeys, unreadable: unreadable)
        } catch {
            database.close(within: .zero)
            throw error
        }
    }

    /// Makes the secret of releases at the first start. Another one would draw other noise for the same questions.
    ///
    /// - Throws: `TieSecretError`.
    private func checkReleaseSecret(_ data: DataDirectory) throws {
        let path = options.releaseSecret
        guard !data.hasAttached || FileManager.default.fileExists(atPath: path) else {
            throw TieSecretError.damaged(FileDamage(path: path, kind: .installationSecret, flaw: .missing))
        }
        _ = try TieSecret.kept(at: path)
    }

    /// Logs the purposes that want proofs while no attester is known: none of their numbers is ever published.
    private func sayWhoIsNotVouchedFor() {
        for plan in options.plans where options.credentials.rules[plan.app.name] == nil {
            for purpose in plan.purposes where purpose.needsProof {
                logger.warning(
                    "a purpose counts proved devices only, and THRONG_ATTESTERS names nobody who vouches for any",
                    metadata: ["app": "\(plan.app.name)", "purpose": "\(purpose.name)"])
            }
        }
    }

    private func run(on parts: DaemonParts) async throws {
        let (ingestion, database, telemetry, failure) =
            (parts.ingestion, parts.database, parts.telemetry, parts.failure)
        let rules = UserAgentRules.system
        let standing = FlushStanding()
        let releases = ReleaseStore(parts.settings)
        // Pages are rewritten in a private cluster only.
        let pages = parts.cluster.map { Connection($0.settings) }
        // The clock is checked before any window ends. If PostgreSQL is away, the schedule checks it once it is back.
        let guarded = ClockGuard(
            clock: parts.houseClock, store: DatabaseClock(releases.connection), health: telemetry.schedule,
            logger: logger)
        if ingestion.knownFlushed != nil { _ = await guarded.believed() }
        let reports = ReportScheduler(
            store: releases, rules: rules, folder: options.dataPath,
            signing: options.reports.signing, delivery: options.reports.delivery, printer: options.reports.printer,
            traces: tracing.traces)
        try sayWhoSigns(reports)
        sayWhoPrints()
        var releaseScheduler = ReleaseScheduler(
            store: releases, rules: rules, secret: try TieSecret.kept(at: options.releaseSecret))
        releaseScheduler.traces = tracing.traces
        let deliveries = DeliveryService(
            plans: options.plans, queue: reports.deliveries, health: telemetry.deliveries, rounds: telemetry.rounds,
            clock: clock, interval: options.scheduleInterval, logger: logger)
        let schedule = ScheduleService(
            plans: options.plans,
            releases: releaseScheduler,
            reports: reports,
            calendar: CalendarStore(releases.connection),
            retention: RetentionWithKeys(
                house: HouseRetention(RetentionStore(releases.connection), folder: options.dataPath),
                deletions: DeletionStore(releases.connection),
                keys: BackupKeys(dataPath: options.dataPath),
                pages: pages.map { RewrittenPages(pages: AgedPages($0), dataPath: options.dataPath) }),
            standing: standing,
            guarded: guarded,
            settlement: Settlement(SettlementStore(releases.connection), pause: ScheduleService.rest),
            lease: LeaseStore(releases.connection, of: DaemonID(parts.data.daemon)),
            isInForce: { [apps = options.plans.map(\.app.name)] in telemetry.plans.areInForce(apps) },
            health: telemetry.schedule,
            clock: clock,
            interval: options.scheduleInterval,
            logger: logger)
        let onFenced: @Sendable (DaemonError) -> Void = { [logger] error in
            let facts: Logger.Metadata = ["error": "\(error)"]
            if error == .fenced(pending: 0) {
                logger.warning("another process has taken this one's place, with everything; stopping", metadata: facts)
            } else {
                logger.critical("the flush can't go on in this process; stopping", metadata: facts)
            }
            failure.raise(error)
        }
        let members = MemberStore(parts.settings)
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
            traces: tracing.traces,
            membership: { [daemon = DaemonID(parts.data.daemon)] in
                try await members.membership(of: daemon, heard: 0)
            },
            onFenced: onFenced)
        let fence = FenceWatch(
            journal: ingestion.journal, database: database, telemetry: telemetry, machine: .real, logger: logger
        ) {
            onFenced(.fenced(pending: ingestion.gauges.journalLag))
        }
        let neighbours = MemberWatch(
            neighbours: ingestion.neighbours, store: members, daemon: DaemonID(parts.data.daemon),
            isAttached: { database.isAttached }, windows: { ingestion.keys.windows }, clock: clock,
            health: telemetry.rounds, logger: logger)
        // This look comes first: another daemon's events are not counted here, if PostgreSQL answers in time.
        if ingestion.knownFlushed != nil { try await neighbours.lookFirst() }
        if parts.data.hasLeft {
            logger.warning(
                """
                PostgreSQL can't be reached, and was told that this daemon stopped: nothing is counted before it knows better, because \
                others are there that may release
                """)
        }
        let clientSessions = sessions(asksClients: asksClients)
        let gateway = try ObliviousGateway(
            parts.data, contentBytes: options.limits.bodyBytes, clock: clock, logger: logger)
        let desk = CredentialDesk(
            options.credentials.rules, keys: parts.credentialKeys, data: parts.data, clock: clock, logger: logger)
        // Started in this order, stopped in the other: clients first, PostgreSQL last.
        var services: [any Service] = parts.cluster.map { [$0] } ?? []
        services += [
            FlushMark(budget: stop), fence, flush,
            neighbours,
            PlanWatch(database: database, standings: telemetry.plans, health: telemetry.rounds, logger: logger),
            schedule, deliveries, SecurityLogService(log: security, health: telemetry.rounds),
            try metricsServer(ingestion, telemetry),
            try intakeServer(ingestion, gateway, desk, telemetry, clientSessions), FailureWatch(flag: failure),
        ]
        services += keyRounds(parts, gateway)
        services.append(
            CheckpointKeeper(
                ingestion, data: parts.data, options: options.journal, health: telemetry.rounds, logger: logger))
        if let exporter = tracing.exporter {
            services.append(Rounds(.traces, every: .seconds(1), on: telemetry.rounds) { await exporter.round() })
        }
        if let clientSessions {
            // Connections end with their window; the clock shows whole seconds, and may be set.
            services.append(
                Rounds(.connections, every: .milliseconds(250), on: telemetry.rounds) { [clock] in
                    clientSessions.endFormer(at: clock.now)
                })
        }
        if ingestion.reveals.isNeeded { services.append(LabelService(learner: ingestion.reveals)) }
        let portal = Portal(
            parts.settings, plans: options.plans, now: { [clock] in clock.now },
            onRefusal: { [security] in security.note(.init($0)) },
            network: { NetworkMark.network(of: $0) },
            health: health(of: parts))
        // Sessions are forgotten even if nobody signs in here: another daemon may be gone.
        services.append(
            Rounds(.sessions, every: .seconds(60), on: telemetry.rounds) { try await portal.forgetSessions() })
        if let endpoint = options.members {
            services.append(try memberServer(ingestion, gateway, desk, telemetry, at: endpoint))
        }
        if let endpoint = options.portal { services.append(try portalServer(portal, ingestion, at: endpoint)) }
        services.append(
            StopWatch(budget: stop, cluster: parts.cluster, logger: logger) {
                releases.close(within: StopBudget.questions)
                portal.close(within: StopBudget.questions)
                // The last flush asks it who is there.
                members.close(within: StopBudget.untilFlushed)
                ingestion.reveals.close(within: StopBudget.questions)
                ingestion.firsts?.close(within: StopBudget.questions)
            })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
        try RunningPlans.write(options.sources, in: parts.data)
        lifetime.runs(group, by: options.sources, stop: stop)
        try await group.run()
        await onOwnThread {
            ingestion.odd.finish()
            ingestion.proving.finish()
            ingestion.journal.stop()
        }
        parts.data.unlock()
        releases.close()
        pages?.close()
        portal.close()
        database.counters.close()
        ingestion.reveals.close()
        ingestion.firsts?.close()
        if let error = failure.error { throw error }
    }
}
