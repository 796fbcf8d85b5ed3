internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// The start of an ingestion: reads the journal, agrees with PostgreSQL where to go on, and opens a new segment.
struct IngestionStart: Sendable {
    let data: DataDirectory
    let options: DaemonOptions
    let layouts: [MetricLayout]
    let labels: LabelStore
    let database: DatabaseLink
    let kept: KeptFlushes
    let offered: OfferedMark
    let telemetry: Telemetry
    let failure: FailureFlag
    let clock: UnixClock
    let trustedClock: MachineClock
    let logger: Logger
    /// Checks proofs of identifiers; nil if nothing is proved.
    var proofs: ProofCheck?
    /// Keeps firsts that devices prove; nil if no plan asks for any.
    var firsts: FirstStore?
    let neighbours: Neighbours
    var isLeaving: @Sendable () -> Bool = { false }

    /// Opens the ingestion.
    ///
    /// - Parameter needsWatermark: true if the start is known to need PostgreSQL.
    /// - Returns: also the position up to which the journal can't be read: PostgreSQL or the kept flushes must have the
    ///   counts before it.
    func open(needsWatermark: Bool) async throws -> (Ingestion, unreadable: JournalPosition) {
        try data.mend(layouts)
        let keys = try KeyRing(data)
        let reader = try JournalReader(data, keys: keys, options: options.journal)
        let space = CellSpace(layouts: layouts + (try reader.layouts()))
        let believed = try BelievedTime(data)
        let lease = Lease(of: data.machine)
        let found = try await flushedPosition(behind: reader.base, isNeeded: needsWatermark, renewing: lease)
        // Flushes that were kept from the watermark on are flushed first; the journal goes on from there.
        let watermark = found.map { kept.end(from: $0) ?? $0 }
        if let found, let watermark, watermark < reader.base {
            throw DaemonError.watermarkTooOld(database: found.value, journal: reader.base.value)
        }
        let now = clock.now
        sayWhetherClockIsBehind(now, believed)
        var (counting, replayed, restored) = try replay(
            reader, space: space, keys: keys, watermark: watermark, now: now)
        try await goOn(counting: &counting, after: replayed, watermark: watermark, believed, keys, now: now)
        // The replay has not learned who was counted in windows that are over. Nobody may count there again.
        try keys.markClosed(windowsOverBy: now)
        for tail in replayed.torn { try setAside(tail, watermark: watermark) }
        let written = try openJournal(space, after: replayed, position: counting.position, lease: lease)
        sayWhatDoesNotFit(written)
        let intake = try Intake(
            plans: options.plans, space: space, rules: .system, limits: options.limits,
            keys: AppKeyRing(try AppKeyFile(dataPath: data.path).read()))
        let reveals = VocabularyLearner(
            plans: options.plans, vocabulary: intake.vocabulary, keys: keys, store: labels,
            telemetry: telemetry, logger: logger)
        // Known labels count under their names from the first batch on, if PostgreSQL is there to tell them.
        if watermark != nil, reveals.isNeeded { await reveals.refreshIfPossible() }
        let ingestion = makeIngestion(
            intake, counting, keys: keys, journal: written, believed: believed, reveals: reveals, restored: restored)
        if let found, let watermark { ingestion.toMakeAgain.store(watermark.value - found.value, ordering: .relaxed) }
        return (ingestion, replayed.unreadable)
    }

    // MARK: Agreeing with PostgreSQL and the clock

    /// The silence of PostgreSQL after which a start goes on without it: several answers of a slow one.
    private static let patience = Duration.seconds(10)

    /// Returns the watermark and renews the lease by it; nil while PostgreSQL is away or hangs: then the journal takes
    /// events until it is back.
    ///
    /// - Parameters:
    ///   - base: the position from which on the journal has records.
    ///   - isNeeded: true if the start waits for PostgreSQL for as long as it takes.
    /// - Throws: ``DaemonError/watermarkNeeded(journal:)`` if there is none and it is needed.
    private func flushedPosition(
        behind base: JournalPosition, isNeeded: Bool, renewing lease: Lease
    ) async throws -> JournalPosition? {
        let asked = data.machine.elapsed()
        do {
            if let found = try await database.attachedNow(patience: isNeeded ? nil : Self.patience) {
                lease.renew(from: asked)
                return found
            }
        } catch let error as PostgresError where error.isRetryable && !isLeaving() {
            logger.warning(
                "PostgreSQL is away; counting into the journal until it is back", metadata: ["error": "\(error)"])
        }
        guard !isNeeded else { throw DaemonError.watermarkNeeded(journal: base.value) }
        return nil
    }

    private func sayWhetherClockIsBehind(_ now: UnixSeconds, _ believed: BelievedTime) {
        guard let lag = believed.lag(of: now) else { return }
        logger.warning(
            """
            the clock is behind the latest time that was believed; windows that were closed by it stay closed, and their \
            clients get window_out_of_range until newer ones begin
            """, metadata: ["seconds": "\(lag)"])
    }

    /// Goes on behind the journal's end, and forgets the windows that were closed there.
    private func goOn(
        counting: inout Counting, after replayed: JournalReader.Replayed, watermark: JournalPosition?,
        _ believed: BelievedTime, _ keys: KeyRing, now: UnixSeconds
    ) async throws {
        // A position that PostgreSQL has counted already must not be handed out again.
        if watermark == nil, !offered.covers(replayed.last, isTorn: replayed.torn.contains { !$0.isBlank }) {
            throw DaemonError.watermarkNeeded(journal: replayed.last.value)
        }
        counting.reach(replayed.last)
        guard let watermark, watermark > replayed.last else { return }
        // PostgreSQL has more than this journal: the rest was lost or another's, and may have closed windows.
        let closed = try await closedUntil(after: replayed.last)
        let forgotten = counting.forgetEnded(now: max(closed ?? now, believed.bound(of: now)))
        try keys.destroy(keysOf: forgotten)
    }

    /// Returns the time up to which windows were closed behind the journal's end.
    ///
    /// - Throws: ``DaemonError/watermarkNeeded(journal:)`` while PostgreSQL is away: the start waits for it.
    private func closedUntil(after last: JournalPosition) async throws -> UnixSeconds? {
        do {
            return try await database.counters.closedUntil(after: last)
        } catch let error as PostgresError where error.isRetryable {
            throw DaemonError.watermarkNeeded(journal: last.value)
        }
    }

    // MARK: Opening the journal and the ingestion

    private func setAside(_ tail: TornTail, watermark: JournalPosition?) throws {
        try tail.setAside()
        let facts: Logger.Metadata = [
            "segment": "\(tail.segment)", "bytes": "\(tail.count)", "kept": "\(tail.isBlank ? "" : tail.aside)",
            "last": "\(tail.last.value)", "database": "\(watermark.map { "\($0.value)" } ?? "away")",
        ]
        if tail.isOvertaken {
            logger.error(
                "a process wrote to the journal after another had taken its place: does the file system keep locks?",
                metadata: facts)
        } else {
            logger.warning(
                "the journal ended in bytes that are no record: a write that was cut off and never acknowledged, or damage",
                metadata: facts)
        }
    }

    private func openJournal(
        _ space: CellSpace, after replayed: JournalReader.Replayed, position: JournalPosition, lease: Lease
    ) throws -> Journal {
        try Journal(
            data, space: space, after: replayed, position: position, options: options.journal, lease: lease,
            onFull: { [logger] isFull in
                if isFull {
                    logger.error("the journal's disk is full; clients are told to come again until there is space")
                } else {
                    logger.notice("the journal's disk has space again")
                }
            }
        ) { [logger, failure] error in
            logger.critical("the journal failed; stopping", metadata: ["error": "\(error)"])
            failure.raise(.journalFailed)
        }
    }

    private func makeIngestion(
        _ intake: Intake, _ counting: Counting, keys: KeyRing, journal: Journal, believed: BelievedTime,
        reveals: VocabularyLearner, restored: JournalPosition
    ) -> Ingestion {
        Ingestion(
            intake: intake, counting: counting, keys: keys, journal: journal, believed: believed, reveals: reveals,
            proofs: proofs, firsts: firsts, telemetry: telemetry, bodies: BodyBudget(limit: options.bodiesBytes),
            quotas: options.quotas, neighbours: neighbours, clock: clock, trustedClock: trustedClock,
            restored: restored,
            onFullWindows: { [logger] areFull in
                if areFull {
                    logger.warning(
                        "memory for open windows is full; new identifiers are told to come again until some are over")
                } else {
                    logger.warning("memory for open windows has room again")
                }
            }
        ) { [logger, failure] error in
            // A journal that takes nothing more was closed by somebody who has said why.
            if case JournalError.failed = error { return }
            logger.critical("a batch could not be journalled; stopping", metadata: ["error": "\(error)"])
            failure.raise(.journalFailed)
        }
    }

    /// Logs the purposes whose largest batches may be refused, because the journal takes no record that large.
    private func sayWhatDoesNotFit(_ journal: Journal) {
        for plan in options.plans {
            for purpose in plan.purposes {
                let most = journal.mostEvents(app: plan.app.name, purpose: purpose.name)
                guard most < options.limits.eventsPerBatch else { continue }
                logger.notice(
                    "the largest batches may be refused with record_too_large: the journal takes no record that large",
                    metadata: [
                        "app": "\(plan.app.name)", "purpose": "\(purpose.name)",
                        "events_per_batch": "\(options.limits.eventsPerBatch)", "events_that_fit": "\(most)",
                    ])
            }
        }
    }

    // MARK: Replaying the journal

    /// A start's counts, the journal's records, and the position up to which a checkpoint relies on PostgreSQL.
    typealias Replayed = (Counting, JournalReader.Replayed, restored: JournalPosition)

    /// Restores the counts from a usable checkpoint and the journal behind it, or from the whole journal.
    func replay(
        _ reader: JournalReader, space: CellSpace, keys: KeyRing, watermark: JournalPosition?, now: UnixSeconds
    ) throws -> Replayed {
        func counting() -> Counting {
            Counting(space: space, position: reader.base, watermark: watermark, bounds: options.bounds)
        }
        do throws(JournalError) {
            if let found = try restored(counting(), reader, keys: keys, watermark: watermark, now: now) { return found }
        } catch {
            // Damage of the journal itself shows again.
            logger.warning(
                "the checkpoint can't be used; the whole journal is replayed, which takes longer",
                metadata: ["error": "\(error)"])
            do throws(JournalError) {
                try Checkpoint.remove(from: data)
            } catch { logger.warning("it is left where it is", metadata: ["error": "\(error)"]) }
        }
        var whole = counting()
        do throws(JournalError) {
            let replayed = try replay(reader, into: &whole, after: nil, watermark: watermark, now: now)
            return (whole, replayed, .start)
        } catch {
            // A start after damage went on behind PostgreSQL's watermark; or a segment is gone. PostgreSQL knows.
            guard watermark == nil, case .gap(let expected, let found, _) = error, found > expected else { throw error }
            throw DaemonError.watermarkNeeded(journal: expected.value - 1)
        }
    }

    /// Restores the counts from a checkpoint; returns nil if there is none.
    private func restored(
        _ empty: Counting, _ reader: JournalReader, keys: KeyRing, watermark: JournalPosition?, now: UnixSeconds
    ) throws(JournalError) -> Replayed? {
        guard options.journal.checkpointBytes > 0 else {
            try Checkpoint.remove(from: data)
            return nil
        }
        guard let checkpoint = try Checkpoint(in: data) else { return nil }
        guard reader.fits(checkpoint) else { throw .unusableCheckpoint(.otherJournal) }
        if let watermark, watermark < checkpoint.through { throw .unusableCheckpoint(.databaseIsOlder) }
        var counting = empty
        try checkpoint.restore(into: &counting, keys: keys, now: now)
        let replayed = try replay(reader, into: &counting, after: checkpoint, watermark: watermark, now: now)
        guard replayed.last >= checkpoint.through else { throw .unusableCheckpoint(.journalIsOlder) }
        logger.info(
            "went on from a checkpoint",
            metadata: ["from": "\(checkpoint.from.value)", "through": "\(checkpoint.through.value)"])
        return (counting, replayed, checkpoint.through)
    }

    private func replay(
        _ reader: JournalReader, into counting: inout Counting, after checkpoint: Checkpoint?,
        watermark: JournalPosition?, now: UnixSeconds
    ) throws(JournalError) -> JournalReader.Replayed {
        let from = checkpoint?.from ?? .start
        var batches = 0
        let replayed = try reader.replay(space: counting.space, flushed: watermark, after: checkpoint) { record in
            guard record.position > from else { return }
            counting.replay(record, now: now)
            batches += 1
        }
        if batches > 0 { logger.info("replayed the journal", metadata: ["batches": "\(batches)"]) }
        return replayed
    }
}

/// Stands in for a daemon that can't start yet: retries the start, and tells clients meanwhile to come again.
///
/// A signal ends the process soon, as it does during any start: nothing was taken that could be lost.
final class StartRetries<Value: Sendable>: Service {
    private let blocker: StartBlocker
    private let dataPath: String
    private let logger: Logger
    private let attempt: @Sendable (StartBlocker) async throws -> Value
    private let made = Mutex<Value?>(nil)

    init(
        past blocker: StartBlocker, dataPath: String, logger: Logger,
        attempt: @escaping @Sendable (StartBlocker) async throws -> Value
    ) { (self.blocker, self.dataPath, self.logger, self.attempt) = (blocker, dataPath, logger, attempt) }

    /// Returns the value of the attempt that succeeds; an error if waiting does not help.
    ///
    /// - Parameter server: the server for clients, with ``StartingRoutes``.
    func value(beside server: any Service) async throws -> Value {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: server), .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: logger))
        try await group.run()
        guard let value = made.withLock({ $0 }) else { throw CancellationError() }
        return value
    }

    func run() async throws {
        var blocker = blocker
        say(blocker)
        // An attempt may replay a large journal: no more than half of the time goes into that.
        var pause = Duration.seconds(1)
        while true {
            try await Task.sleep(for: pause)
            if blocker == .fullDisk, !DataDirectory.hasSpace(at: dataPath) { continue }
            let started = ContinuousClock.now
            do {
                let value = try await attempt(blocker)
                logger.notice("the start goes on")
                return made.withLock { $0 = value }
            } catch {
                guard let next = StartBlocker(error, dataPath: dataPath) else { throw error }
                if next != blocker { say(next) }
                blocker = next
                pause = max(.seconds(1), ContinuousClock.now - started)
            }
        }
    }

    private func say(_ blocker: StartBlocker) {
        switch blocker {
        case .fullDisk: logger.error("the data directory's disk is full; the start waits for space")
        case .unknownWatermark:
            logger.error(
                "the journal has lost its end, and PostgreSQL is away, which may have it; the start waits for PostgreSQL"
            )
        case .predecessor:
            logger.notice(
                "another process may still hold this daemon's place in PostgreSQL; it was told, and the start waits for it"
            )
        }
    }
}

/// An obstacle to a start that passes by itself, or with an operator's help, while the process waits.
enum StartBlocker {
    case fullDisk
    /// The journal has lost records, and PostgreSQL, which is away, has to say where it goes on.
    case unknownWatermark
    /// Another process may still hold this one's place in PostgreSQL.
    case predecessor

    /// Creates the obstacle of an error; nil if waiting would not help.
    init?(_ error: any Error, dataPath: String) {
        switch error {
        case DaemonError.watermarkNeeded: self = .unknownWatermark
        case DaemonError.succeeding: self = .predecessor
        case let error as JournalError where error.isWantOfSpace: self = .fullDisk
        case is DaemonError, JournalError.inUse: return nil
        // Foundation and the programs of PostgreSQL don't say why in a way that could be told apart.
        default:
            guard !DataDirectory.hasSpace(at: dataPath) else { return nil }
            self = .fullDisk
        }
    }
}
