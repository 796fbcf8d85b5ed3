internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem

/// The services that count, release, report and deliver, each with what it needs.
extension Daemon {
    func clockGuard(_ parts: DaemonParts) -> ClockGuard {
        ClockGuard(
            clock: parts.trustedClock, store: DatabaseClock(parts.releases.connection),
            health: parts.telemetry.schedule, logger: logger)
    }

    // MARK: Releases, reports and deliveries

    /// Returns the scheduler of reports, and says who signs, serves and prints them.
    func reportScheduler(_ parts: DaemonParts) throws -> ReportScheduler {
        let reports = ReportScheduler(
            store: parts.releases, rules: UserAgentRules.system, folder: options.dataPath,
            signing: options.reports.signing, delivery: options.reports.delivery, printer: options.reports.printer,
            traces: tracing.traces)
        try sayWhoSignsAndServes(reports)
        sayWhoPrints()
        return reports
    }

    func deliveryService(_ reports: ReportScheduler, _ telemetry: Telemetry) -> DeliveryService {
        DeliveryService(
            plans: options.plans, queue: reports.deliveries, health: telemetry.deliveries, rounds: telemetry.rounds,
            clock: clock, interval: options.scheduleInterval, logger: logger)
    }

    func scheduleService(
        _ parts: DaemonParts, _ reports: ReportScheduler, _ standing: FlushStanding,
        _ guarded: ClockGuard
    ) throws -> ScheduleService {
        let connection = parts.releases.connection
        var releases = ReleaseScheduler(
            store: parts.releases, rules: UserAgentRules.system, secret: try TieSecret.kept(at: options.releaseSecret))
        releases.traces = tracing.traces
        return ScheduleService(
            plans: options.plans, releases: releases, reports: reports, calendar: CalendarStore(connection),
            retention: RetentionWithKeys(
                store: RetentionStore(connection), folder: options.dataPath, deletions: DeletionStore(connection),
                keys: BackupKeys(dataPath: options.dataPath),
                pages: parts.pages.map { RewrittenPages(pages: AgedPages($0), dataPath: options.dataPath) }),
            standing: standing, guarded: guarded,
            settlement: Settlement(SettlementStore(connection), pause: ScheduleService.rest),
            lease: LeaseStore(connection, of: DaemonID(parts.data.daemon)),
            isInForce: { [apps = options.plans.map(\.app.name), plans = parts.telemetry.plans] in
                plans.areInForce(apps)
            },
            health: parts.telemetry.schedule,
            clock: clock,
            interval: options.scheduleInterval,
            logger: logger)
    }

    // MARK: Counting

    func flushService(_ parts: DaemonParts, _ standing: FlushStanding) -> FlushService {
        FlushService(
            ingestion: parts.ingestion, database: parts.database, kept: parts.kept, offered: parts.offered,
            unreadable: parts.unreadable, first: parts.ingestion.position, standing: standing,
            telemetry: parts.telemetry, clock: clock, interval: options.flushInterval,
            longestInterval: options.longestFlushInterval, machine: .real, logger: logger, traces: tracing.traces,
            membership: { [daemon = DaemonID(parts.data.daemon), members = parts.members] in
                try await members.membership(of: daemon, heard: 0)
            },
            onFenced: onFenced(parts.failure))
    }

    func fenceWatch(_ parts: DaemonParts) -> FenceWatch {
        let onFenced = onFenced(parts.failure)
        return FenceWatch(
            journal: parts.ingestion.journal, database: parts.database, telemetry: parts.telemetry, machine: .real,
            logger: logger
        ) { [ingestion = parts.ingestion] in
            onFenced(.fenced(pending: ingestion.gauges.journalLag))
        }
    }

    private func onFenced(_ failure: FailureFlag) -> @Sendable (DaemonError) -> Void {
        return { [logger] error in
            let facts: Logger.Metadata = ["error": "\(error)"]
            if error == .fenced(pending: 0) {
                logger.warning("another process has taken this one's place, with everything; stopping", metadata: facts)
            } else {
                logger.critical("the flush can't go on in this process; stopping", metadata: facts)
            }
            failure.raise(error)
        }
    }

    func memberWatch(_ parts: DaemonParts) -> MemberWatch {
        MemberWatch(
            neighbours: parts.ingestion.neighbours, store: parts.members, daemon: DaemonID(parts.data.daemon),
            isAttached: { [database = parts.database] in database.isAttached },
            windows: { [keys = parts.ingestion.keys] in keys.windows }, clock: clock, logger: logger)
    }

    /// Learns from PostgreSQL whether this daemon's plans are the ones in force, and logs each change.
    func planWatch(_ parts: DaemonParts) -> PeriodicTask {
        PeriodicTask(.plans, every: .seconds(2), on: parts.telemetry.rounds) {
            [database = parts.database, plans = parts.telemetry.plans, logger] in
            defer { plans.tell(logger) }
            try await database.renewPlans()
        }
    }

    func countingRounds(_ parts: DaemonParts, _ clientSessions: TLSSessions?) -> [any Service] {
        let rounds = parts.telemetry.rounds
        var services: [any Service] = [
            CheckpointKeeper(
                parts.ingestion, data: parts.data, options: options.journal, health: rounds, logger: logger)
        ]
        if let exporter = tracing.exporter {
            services.append(
                PeriodicTask(.traces, every: .seconds(1), on: rounds) {
                    guard try await exporter.round() else { throw RoundHealth.Skipped.nothingToTry }
                })
        }
        if let clientSessions {
            // Connections end with their window; the clock shows whole seconds, and may be set.
            services.append(
                PeriodicTask(.connections, every: .milliseconds(250), on: rounds) { [clock] in
                    clientSessions.endFormer(at: clock.now)
                })
        }
        let reveals = parts.ingestion.reveals
        if reveals.isNeeded {
            // Other daemons learn labels, too, and age retires some.
            services.append(
                PeriodicTask(.labels, every: .seconds(30), retry: .seconds(2), on: rounds) {
                    try await reveals.refresh()
                })
        }
        return services
    }

    func keyRounds(_ parts: DaemonParts, _ gateway: ObliviousGateway) -> [any Service] {
        let rounds = parts.telemetry.rounds
        let backups = BackupMarks(dataPath: options.dataPath)
        var services: [any Service] = [
            // Keys come and go with their days and months.
            PeriodicTask(.gatewayKeys, every: .seconds(10), on: rounds) {
                if let fault = await onOwnThread({ gateway.turn() }) { throw fault }
            },
            PeriodicTask(.credentialKeys, every: .seconds(10), on: rounds) {
                [keys = parts.credentialKeys, trustedClock = parts.trustedClock] in
                if let fault = await onOwnThread({ keys.turn(mayDestroy: trustedClock.isConfirmed) }) { throw fault }
            },
            PeriodicTask(.backups, every: .seconds(60), on: rounds) { [clock] in
                try await onOwnThread { try backups.check(at: clock.now) }
            },
        ]
        if let keys = parts.ingestion.intake.keys {
            let watch = AppKeyWatch(AppKeyFile(dataPath: options.dataPath), for: keys, logger)
            services.append(
                PeriodicTask(.appKeys, every: .milliseconds(500), on: rounds) {
                    try await onOwnThread { try watch.look() }
                })
        }
        if let certificates {
            services.append(PeriodicTask(.certificate, every: .seconds(5), on: rounds) { try certificates.look() })
        }
        return services
    }

    /// - Throws: `ReportKeyError` if there is a key that can't be used: better now than at the first report.
    func sayWhoSignsAndServes(_ reports: ReportScheduler) throws {
        guard options.plans.contains(where: { !$0.reports.isEmpty }) else { return }
        if options.portal == nil, options.plans.contains(where: { $0.partners.contains(where: \.isEverybody) }) {
            logger.notice("public reports are served nowhere: THRONG_PORTAL says where")
        }
        if let key = try reports.signing.current() {
            logger.info("reports are signed", metadata: ["key": "\(key.publicKey.id)"])
        } else {
            logger.notice("reports are not signed: `throng key new` makes a key")
        }
    }

    func health(of parts: DaemonParts) -> @Sendable () -> DaemonHealth {
        let backups = BackupMarks(dataPath: options.dataPath)
        let name = DaemonID(parts.data.daemon).description
        let plans = options.plans.sorted { $0.app.name < $1.app.name }.map {
            (name: "plan of \($0.app.name)", version: String($0.version.hex.prefix(16)))
        }
        return { [clock, options, telemetry = parts.telemetry, ingestion = parts.ingestion] in
            var health = telemetry.health(
                ingestion.gauges, journalCap: options.journal.capBytes, backups: backups, now: clock.now)
            health.daemon = name
            health.plansBehind = telemetry.plans.behind.map(\.advice)
            health.versions = options.versions + plans
            return health
        }
    }

    func sayWhoPrints() {
        guard options.plans.contains(where: { $0.reports.contains { $0.formats.contains(where: \.isPrinted) } }) else {
            return
        }
        do throws(PrintError) {
            let program = try options.reports.printer.program()
            logger.info("reports are printed", metadata: ["program": "\(program)"])
        } catch { logger.warning("reports go without PDF and pictures", metadata: ["error": "\(error)"]) }
    }
}

/// Watches the keys of apps for changes, so that a revoked key counts nothing from the next look on.
final class AppKeyWatch: Sendable {
    private struct State {
        var hasLooked = false
        /// The file's standing when it could be read last.
        var standing: AppKeyFile.Standing?
        var problem: AppKeyError?
    }

    private let file: AppKeyFile
    private let ring: AppKeyRing
    private let logger: Logger
    private let state = Mutex(State())

    init(_ file: AppKeyFile, for ring: AppKeyRing, _ logger: Logger) {
        (self.file, self.ring, self.logger) = (file, ring, logger)
    }

    /// Reads the file if it has changed, or could not be read. Blocks.
    func look() throws(AppKeyError) {
        try state.withLock { state throws(AppKeyError) in
            let standing = AppKeyFile.Standing(of: file.path)
            guard !state.hasLooked || state.problem != nil || standing != state.standing else { return }
            do throws(AppKeyError) {
                ring.use(try file.read())
                if state.hasLooked { logger.notice("the keys of apps were read anew") }
                state = State(hasLooked: true, standing: standing)
            } catch {
                if error != state.problem {
                    // The former keys stay good until somebody mends the file.
                    logger.error(
                        "the keys of apps can't be read, and the former ones stay in force",
                        metadata: ["error": "\(error)"])
                }
                (state.hasLooked, state.problem) = (true, error)
                throw error
            }
        }
    }
}

/// Deletes expired data and reports, together with the keys of its backups, and at last its remains in PostgreSQL's pages.
struct RetentionWithKeys: Retention {
    let store: RetentionStore
    /// The folder in which relative paths of deliveries begin.
    let folder: String
    let deletions: DeletionStore
    /// The keys of backups, read anew each time: commands make keys meanwhile.
    let keys: BackupKeys
    /// Rewrites pages; nil if PostgreSQL is the operator's.
    let pages: RewrittenPages?

    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
        let outcome = try await store.expire(plans: plans, now: now)
        try await destroyKeys(now: now, sparing: Set(outcome.troubles.map(\.app.text)))
        return outcome
    }

    func destroyKeys(now: UnixSeconds) async throws { try await destroyKeys(now: now, sparing: []) }

    /// - Parameter apps: the apps of which expired data could not be deleted; their keys stay.
    private func destroyKeys(now: UnixSeconds, sparing apps: Set<String>) async throws {
        let tables = try await goneTables()
        let destroyed = try await onOwnThread { [keys] in
            try keys.destroy { name in
                switch name.term {
                case .always: false
                case .day: name.isOver(at: now) && !apps.contains(name.app)
                case .table(let table): tables.contains(table)
                }
            }
        }
        // If the note can't be written, the round comes again and notices that.
        for (name, count) in destroyed.sorted(by: { $0.key < $1.key }) {
            try await deletions.note(
                backupKeys: count, app: name.app, subject: name.term.text, term: "with what they opened in the house")
        }
        if !destroyed.isEmpty { try await onOwnThread { [keys] in try keys.forgetDestroyed() } }
    }

    func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome {
        try await CopyRetention(store: store, folder: folder).remove(plans, now: now)
    }

    func rewritePages() async throws { try await pages?.rewriteIfDue() }

    func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
        let days = try await onOwnThread { [keys] in try keys.all() }
        let due = days.compactMap { key -> RetentionDue? in
            guard case .day(let day) = key.name.term else { return nil }
            return RetentionDue(
                app: AppName(key.name.app), metric: "backups", term: "the key of \(key.name)",
                at: UnixSeconds(day * 86_400), releases: 0)
        }
        let house = try await store.outlook(plans)
        return RetentionOutlook(due: (house.due + due).sorted { $0.at < $1.at }, troubles: house.troubles)
    }

    private func goneTables() async throws -> Set<String> {
        let named = try await onOwnThread { [keys] in try keys.all() }.compactMap { key in
            if case .table(let table) = key.name.term { table } else { nil }
        }
        guard !named.isEmpty else { return [] }
        return Set(named).subtracting(try await deletions.standing(Array(Set(named))))
    }
}

/// Removes deleted rows from a private cluster's pages, too, after a round that deleted something, or the next start.
struct RewrittenPages: Sendable {
    let pages: AgedPages
    let dataPath: String

    /// A ``KeptFile`` with the number of the last deletion that was removed from all pages, as digits and a line break.
    private var path: String { dataPath + "/pages.rewritten" }

    func rewriteIfDue() async throws {
        let last = try await pages.lastDeletion()
        // The pages are rewritten once more if there is no readable file.
        let (known, done) = (try? SystemDisk.shared.kept(at: path, as: .rewrittenPages), Array("\(last)\n".utf8))
        guard last > 0, known != done else { return }
        try await pages.rewrite()
        try SystemDisk.shared.keep(done, at: path, as: .rewrittenPages)
    }
}

extension BackupMarks {
    /// The age from which a backup needs a look. Unit: seconds.
    static let stale: Int64 = 7 * 86_400

    /// Checks that backups go on once they have begun. An operator who copies in another way never begins.
    func check(at now: UnixSeconds) throws {
        let made = try last(.made)
        if let failed = try last(.failed), failed > made ?? .epoch { throw BackupFault.failed }
        // One that was made by a clock that was ahead says nothing of the last week.
        if let made, abs(now - made) > Self.stale { throw BackupFault.stale(made: made) }
        _ = try last(.exported)
    }
}

/// The reason why backups need a look.
enum BackupFault: Error, Hashable, CustomStringConvertible {
    case failed
    case stale(made: UnixSeconds)

    var description: String {
        switch self {
        case .failed: "the last `throng backup` made none: what it printed says why; make one"
        case .stale(let made):
            "the last backup is of \(Instant.text(made)), more than a week from now: does its timer run?"
        }
    }
}
