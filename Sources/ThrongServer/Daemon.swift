internal import Foundation
internal import Hummingbird
package import Logging
internal import ThrongCredentials
internal import ThrongJournal
package import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem

/// `throng serve`: the whole way from HTTP to a delivered report, as one process.
package struct Daemon: Sendable {
    private(set) var options: DaemonOptions
    let clock: UnixClock
    let logger: Logger
    let lifetime: Lifetime
    /// The certificate; nil without TLS.
    let certificates: Certificates?
    let warnings: ProxyWarnings
    let security: SecurityLog
    let tracing: Tracing
    private var succession = Succession()
    private(set) var stop = StopBudget()

    /// Prepares a daemon; nothing is touched before ``run()``.
    package init(_ options: DaemonOptions, logger: Logger, clock: UnixClock = .system) {
        (self.options, self.logger, self.clock) = (options, logger, clock)
        certificates = options.tls.map { Certificates($0, clock: clock, logger: logger) }
        security = SecurityLog(logger)
        tracing = Tracing(options.traces)
        warnings = ProxyWarnings(logger, security)
        lifetime = Lifetime(
            logger: logger, certificates: certificates, reread: options.reread, drain: options.drain,
            manager: options.serviceManager)
    }

    /// Returns the same daemon with other plans, to run once this one has stopped.
    private func counting(by sources: [RunningPlan]) -> Daemon {
        var next = self
        (next.options.sources, next.options.plans) = (sources, sources.map(\.plan))
        (next.succession, next.stop) = (Succession(), StopBudget())
        return next
    }

    /// Runs until SIGTERM or SIGINT: then stops accepting, answers requests in flight, flushes and returns. SIGHUP does
    /// the same if plans have changed, and goes on with the new ones.
    ///
    /// - Throws: the error that keeps it from starting; ``DaemonError/journalFailed`` if the journal failed on the way.
    package func run() async throws {
        ProcessSettings.forbidCoreFiles()
        OpenFiles.settle()
        ProcessSettings.settleAllocator()
        try certificates?.load()
        try options.checkAddresses()
        defer { options.removeSockets() }
        try await lifetime.watched {
            var daemon = self
            var former: Daemon?
            while true {
                let parts: DaemonParts
                do { parts = try await daemon.start() } catch {
                    // A daemon that can't start with other plans goes on with the former ones.
                    guard let last = former else { throw error }
                    logger.critical(
                        "throng can't start by the new plans and goes on by the former ones; mend them, or put them back",
                        metadata: ["error": "\(error)"])
                    (daemon, former) = (last.counting(by: last.options.sources), nil)
                    continue
                }
                await lifetime.endIfLeaving()
                try await daemon.runOnce(on: parts)
                do { try await tracing.exporter?.round() } catch {
                    logger.warning("traces are not taken and are dropped", metadata: ["error": "\(error)"])
                }
                guard let sources = lifetime.takeNext() else { return }
                logger.notice("throng starts anew by other plans")
                lifetime.starts(nil)
                (daemon, former) = (daemon.counting(by: sources), daemon)
            }
        }
    }

    private func runOnce(on parts: DaemonParts) async throws {
        do { try await run(on: parts) } catch {
            try await parts.cluster?.stop(within: StopBudget.clusterSeconds)
            throw error
        }
    }

    /// Opens everything; if that has to wait, clients are told so meanwhile.
    private func start() async throws -> DaemonParts {
        do { return try await open() } catch {
            guard let blocker = StartBlocker(error, dataPath: options.dataPath) else { throw error }
            let router = try clientRoutes.startingRouter()
            let server = server(
                router, at: options.listen, by: clientEdge(sessions(asksClients: asksClients)),
                name: "clients", status: "waits for its place, its disk or PostgreSQL",
                connections: OpenFiles.clients(besideDaemons: options.members != nil))
            let retries = StartRetries(past: blocker, dataPath: options.dataPath, logger: logger) { blocker in
                try await open(needsWatermark: blocker != .fullDisk)
            }
            return try await retries.value(beside: server)
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
        let terms = try options.plans.flatMap { plan in
            try plan.metrics.map { (try plan.layout(of: $0, rules: .system), plan.releaseTerms(of: $0)) }
        }
        let layouts = terms.map(\.0)
        let settings = cluster?.settings ?? ConnectionSettings(connectionString: options.database ?? "")
        let telemetry = Telemetry(spans: tracing.queue, rounds: RoundHealth(clock: clock, logger: logger))
        data.onDamage { [logger] damage in
            telemetry.fileIsDamaged()
            logger.error(
                "a file of the data directory is damaged; counting goes on without it", metadata: ["error": "\(damage)"]
            )
        }
        let database = DatabaseLink(
            counters: CounterStore(settings), layouts: layouts, terms: Dictionary(terms) { $1 }, data: data,
            clock: clock, succession: succession, address: options.memberAddress,
            plans: Dictionary(uniqueKeysWithValues: options.plans.map { ($0.app.name, $0.version) }),
            standings: telemetry.plans, isOwnServer: { [cluster] in cluster?.isOwnServer ?? false },
            prepare: DatabaseLink.preparation(of: settings, cluster: cluster))
        do {
            let failure = FailureFlag()
            let kept = try KeptFlushes(data, options: options.kept)
            let offered = try OfferedMark(data, kept: kept.last)
            let trustedClock = MachineClock(clock)
            let credentialKeys = try EpochKeys(
                data, apps: options.credentials.rules.keys.sorted(), clock: clock, logger: logger)
            sayWhoIsNotVouchedFor()
            var options = options
            options.journal = tracing.following(options.journal)
            var opening = IngestionStart(
                data: data, options: options, layouts: layouts, labels: LabelStore(settings), database: database,
                kept: kept, offered: offered, telemetry: telemetry, failure: failure, clock: clock,
                trustedClock: trustedClock, logger: logger, proofs: ProofCheck(keys: credentialKeys),
                firsts: options.plans.contains { $0.metrics.contains(where: \.provesFirsts) }
                    ? FirstStore(settings) : nil,
                neighbours: try Neighbours(
                    data, isShared: options.database != nil, isReachable: options.members != nil,
                    authorities: options.memberAuthorities, logger: logger))
            opening.isLeaving = { [lifetime] in lifetime.isLeaving }
            let (ingestion, unreadable) = try await opening.open(needsWatermark: needsWatermark)
            return DaemonParts(
                data: data, cluster: cluster, settings: settings, database: database, telemetry: telemetry,
                failure: failure, kept: kept, offered: offered, ingestion: ingestion, trustedClock: trustedClock,
                credentialKeys: credentialKeys, unreadable: unreadable, releases: ReleaseStore(settings),
                members: MemberStore(settings), pages: cluster.map { Connection($0.settings) })
        } catch {
            database.close(within: .zero)
            throw error
        }
    }

    /// Makes the secret of releases at the first start. Another one would draw other noise for the same questions.
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
}
