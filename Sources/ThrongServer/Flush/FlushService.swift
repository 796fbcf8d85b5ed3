internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import ThrongCounting
internal import ThrongJournal
internal import ThrongStore

/// Brings what was counted to PostgreSQL, again and again, exactly once each.
///
/// While PostgreSQL is away it waits longer and longer, up to half a minute; the journal keeps what comes. Where
/// PostgreSQL comes back older than it was, what it has lost is flushed again first. On a graceful stop it flushes once
/// more after the last request was answered.
struct FlushService: Service {
    let desk: CountingDesk
    let database: DatabaseLink
    let kept: KeptFlushes
    let offered: OfferedMark
    /// What the journal can't tell any more: PostgreSQL or the kept flushes must have it.
    let unreadable: JournalPosition
    let standing: FlushStanding
    let telemetry: Telemetry
    let clock: UnixClock
    let interval: Duration
    let longestInterval: Duration
    let logger: Logger
    /// Called where this process may flush no more and has to end.
    let onFenced: @Sendable (DaemonError) -> Void

    /// What is known from one flush to the next.
    private struct Progress {
        /// Whether PostgreSQL has everything that this process or an earlier one flushed.
        var isLevel = false
        /// Whether it ever had, in this process.
        var wasLevel = false
        /// The flush that PostgreSQL gets until it says that it has it.
        var underWay: Flush?
        /// Until then PostgreSQL is only asked whether all is well.
        var rests = ContinuousClock.now
    }

    func run() async throws {
        var failures = 0
        var progress = Progress()
        while !Task.isShuttingDownGracefully {
            failures = await flush(&progress) ? 0 : failures + 1
            tidy()
            let rest =
                failures == 0 ? interval : min(.milliseconds(250 * (1 << min(failures, 7))), .seconds(30))
            try await pause(rest)
        }
        for _ in 0..<3 {
            progress.rests = .now
            if await flush(&progress), desk.gauges.journalLag == 0 { break }
        }
        if desk.gauges.journalLag > 0 {
            logger.warning("stopped before PostgreSQL had everything; the journal keeps it for the next start")
        }
    }

    /// Lets go of windows that are over, whether PostgreSQL is there or not.
    private func tidy() {
        // The keys and segments may be another's by now, which took this one's place while it stood still.
        guard desk.journal.isHeld else { return }
        do {
            try desk.tidy()
        } catch {
            logger.error("keys and segments that are over could not be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Flushes what is pending; false where PostgreSQL did not take it.
    private func flush(_ progress: inout Progress) async -> Bool {
        do {
            try await level(&progress)
            let isDue = ContinuousClock.now >= progress.rests
            if let flush = progress.underWay ?? (isDue ? desk.freeze() : nil) {
                progress.underWay = flush
                // Only what is on disk may reach PostgreSQL: what a crash takes back must not be counted.
                try await desk.journal.durable(flush.through)
                try await onThread { [offered] in try offered.raise(to: flush.through) }
                try await keep(flush)
                let started = ContinuousClock.now
                let outcome = try await apply(flush)
                // The more cells a flush touches, the longer the rest, so that PostgreSQL works a sixteenth of the time:
                // what is touched again meanwhile is merged in memory and costs nothing more.
                progress.rests = .now + min((.now - started) * 15, longestInterval)
                desk.applied(flush, closed: outcome.closedPeriods)
                progress.underWay = nil
            } else {
                let (found, expected) = (try await database.counters.watermark(), desk.flushed)
                guard found == expected else { throw StoreError.watermarkMoved(expected: expected, found: found) }
            }
            await prune()
            telemetry.databaseIsUp()
            standing.isLevel = true
            return true
        } catch {
            standing.isLevel = false
            telemetry.flushFailed()
            report(error, &progress)
            return false
        }
    }

    private func report(_ error: any Error, _ progress: inout Progress) {
        switch error {
        case StoreError.fenced:
            desk.journal.refuseAll()
            onFenced(.fenced(pending: desk.gauges.journalLag))
        case let error as DaemonError:
            desk.journal.refuseAll()
            onFenced(error)
        case let error as JournalError where error.isFailedSync:
            desk.journal.refuseAll()
            onFenced(.journalFailed)
        case StoreError.attachmentLost where progress.isLevel, StoreError.watermarkMoved where progress.isLevel:
            // An older PostgreSQL than before: attach to it and see what it lacks.
            progress.isLevel = false
            database.detach()
            logger.error("PostgreSQL is older than it was", metadata: ["error": "\(error)"])
        case let error as StoreError where !error.isRetryable:
            database.detach()
            progress.isLevel = false
            logger.critical(
                "PostgreSQL refuses the flush; nothing is lost, but this needs a person",
                metadata: ["error": "\(error)"])
        default:
            logger.error("the flush failed and is tried again", metadata: ["error": "\(error)"])
        }
    }

    private func apply(_ flush: Flush) async throws -> FlushOutcome {
        let started = ContinuousClock.now
        let outcome = try await database.counters.flush(flush, now: clock.now)
        telemetry.flushed(
            seconds: (ContinuousClock.now - started) / .seconds(1),
            cells: outcome.counters + outcome.distinctCounts + outcome.topContributions,
            redirected: outcome.redirected)
        return outcome
    }

    // MARK: Kept flushes

    /// Attaches where that is to be done, and flushes again what PostgreSQL once had and has no more.
    private func level(_ progress: inout Progress) async throws {
        if let watermark = try await database.attachedNow() {
            let known = kept.end(from: watermark) ?? watermark
            if desk.knownFlushed == nil, known > desk.position {
                throw DaemonError.overtaken(database: known.value, journal: desk.position.value)
            }
            if known >= unreadable { desk.resolve(watermark: known) }
        }
        guard !progress.isLevel else { return }
        var found = try await database.counters.watermark()
        guard let target = desk.knownFlushed else {
            database.detach()
            throw StoreError.watermarkMoved(expected: unreadable, found: found)
        }
        if found != target, found != progress.underWay?.through {
            guard let steps = kept.steps(from: found, to: target) else {
                throw StoreError.watermarkMoved(expected: target, found: found)
            }
            let facts: Logger.Metadata = [
                "from": "\(found.value)", "to": "\(target.value)", "flushes": "\(steps)",
            ]
            if steps == 1, !progress.wasLevel {
                logger.notice("the flush that was under way when the daemon ended is made again", metadata: facts)
            } else {
                telemetry.databaseWasSetBack()
                logger.error("PostgreSQL has lost flushes; those that were kept are made again", metadata: facts)
            }
            while found != target {
                let position = found
                guard let flush = try await onThread({ [kept] in try kept.flush(after: position) }) else {
                    throw StoreError.watermarkMoved(expected: target, found: found)
                }
                _ = try await apply(flush)
                found = flush.through
            }
            logger.notice("PostgreSQL has everything again", metadata: facts)
        }
        progress.isLevel = true
        progress.wasLevel = true
    }

    /// Keeps a flush before PostgreSQL gets it. Where that can't be done the flush goes on: PostgreSQL may still take it
    /// when the disk is full, and then the journal shrinks.
    ///
    /// - Throws: a sync that failed, which ends the process as any does.
    private func keep(_ flush: Flush) async throws {
        do {
            try await onThread { [kept, clock] in
                do {
                    try kept.keep(flush, now: clock.now)
                } catch {
                    // What comes later would not join what is there.
                    try kept.forget()
                    throw error
                }
            }
        } catch let error as JournalError where error.isFailedSync {
            throw error
        } catch {
            logger.error(
                "a flush could not be kept: if PostgreSQL loses it, only the journal may still have it",
                metadata: ["error": "\(error)"])
        }
    }

    private func prune() async {
        do {
            let early = try await onThread { [kept, clock] in try kept.prune(now: clock.now) }
            if early > 0 { logger.warning("kept flushes went early: they had reached their cap") }
        } catch {
            logger.error("kept flushes that are over could not be removed", metadata: ["error": "\(error)"])
        }
        telemetry.kept(bytes: kept.bytes)
    }

    /// Runs what blocks on a thread outside the shared pool.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
        }
    }
}
