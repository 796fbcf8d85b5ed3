internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem
internal import ThrongWire

/// Flushes counts to PostgreSQL, again and again, each exactly once.
///
/// While PostgreSQL is away, it is tried every other second, as another server may take its place. While it refuses,
/// the service waits longer and longer, up to half a minute. The journal keeps new events. If PostgreSQL comes back
/// older than it was, the flushes that it has lost are made again first. On a graceful stop the service flushes once
/// more after the last request was answered.
struct FlushService: Service {
    let ingestion: Ingestion
    let database: DatabaseLink
    let kept: KeptFlushes
    let offered: OfferedMark
    /// The position up to which the journal can't be read: PostgreSQL or kept flushes must have what is before.
    let unreadable: JournalPosition
    let first: JournalPosition
    let standing: FlushStanding
    let telemetry: Telemetry
    let clock: UnixClock
    let interval: Duration
    let longestInterval: Duration
    let machine: Machine
    let logger: Logger
    var traces = Traces.off
    /// Asks PostgreSQL for the daemons that count with this one; nil if it does not know this one.
    var membership: @Sendable () async throws -> Membership? = { nil }
    /// Called if this process may flush no more and has to end.
    let onFenced: @Sendable (DaemonError) -> Void

    struct Progress {
        /// True if PostgreSQL has everything that this process or an earlier one flushed.
        var isLevel = false
        /// True if that was ever so in this process.
        var wasLevel = false
        /// The flush that PostgreSQL gets until it says that it has it.
        var underWay: Flush?
        /// The number of the last answered question whether PostgreSQL has all that was acknowledged.
        var settled: Int64 = 0
        /// The time at which PostgreSQL heard of this process last. Unit: see ``Machine/elapsed``.
        var told = Duration.zero
        /// The time until which PostgreSQL is only asked whether all is well. Unit: see ``Machine/elapsed``.
        var rests = Duration.zero
        var failures = 0
        /// True if nobody answered the last time: the next answer may come from another server.
        var isAway = false
        /// The reason why PostgreSQL did not take the last flush; nil if it did.
        var failure: (any Error)?

        func rest(_ interval: Duration) -> Duration {
            guard failures > 0 else { return interval }
            return min(.milliseconds(250 * (1 << min(failures, 7))), .seconds(isAway ? 2 : 30))
        }
    }

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await flushUntilStopped()
        } onGracefulShutdown: {
            database.close(within: StopBudget.lastFlush)
        }
    }

    private func flushUntilStopped() async throws {
        var progress = Progress()
        telemetry.rounds.expect(.flush, .tidying, .withdrawals, .keptFlushes)
        while !Task.isShuttingDownGracefully {
            let length = await round(&progress)
            guard try await rest(length, &progress) else { continue }
            if await handOver(&progress) { return try await gracefulShutdown() }
            try await pause(.milliseconds(250))
        }
        await finish(&progress)
    }

    /// Drops windows that are over and flushes once; returns the rest until the next round.
    func round(_ progress: inout Progress) async -> Duration {
        // The counts of windows that are over are in the flush: a release that waits for it has all of them.
        await remove()
        await tidy()
        progress.failures = await flush(&progress) ? 0 : progress.failures + 1
        return progress.rest(interval)
    }

    /// Flushes what is left, and tells PostgreSQL that this daemon stops.
    func finish(_ progress: inout Progress) async {
        var isComplete = false
        for attempt in 0..<3 where attempt == 0 || !isComplete && progress.failure.map(Self.isWorthAnother) ?? true {
            progress.rests = machine.elapsed()
            // Withdrawals that are left wait for the next start, as a release does.
            await tidy()
            isComplete = await flush(&progress) && ingestion.gauges.journalLag == 0
        }
        if isComplete { await leave() }
        sayWhatStays(progress)
        // A PostgreSQL that did not take the flush does not take the place either.
        guard progress.failure == nil else { return }
        do { try await database.giveBack() } catch {
            logger.notice(
                "the place in PostgreSQL was not given back: whoever takes it on another machine has to wait",
                metadata: ["error": "\(error)"])
        }
    }

    private static func isWorthAnother(_ failure: any Error) -> Bool {
        switch failure {
        case StoreError.attachmentLost, StoreError.watermarkMoved: true
        case let failure as PostgresError: failure.isRetryable
        default: false
        }
    }

    private func sayWhatStays(_ progress: Progress) {
        let lag = ingestion.gauges.journalLag
        guard lag > 0 || progress.failure != nil else { return }
        var facts: Logger.Metadata = ["batches": "\(lag)"]
        if let failure = progress.failure { facts["error"] = "\(failure)" }
        if lag > 0 {
            logger.warning(
                "stopped before PostgreSQL had everything; the journal keeps it, and the next start goes on from there",
                metadata: facts)
        } else {
            logger.notice(
                "stopped without PostgreSQL, which has everything that was acknowledged; the next start goes on from there",
                metadata: facts)
        }
    }

    /// Rests until `length` is over, a release waits for acknowledged events, or the journal is closed, as another
    /// process is taking this one's place. Returns true if the journal is closed.
    private func rest(_ length: Duration, _ progress: inout Progress) async throws -> Bool {
        let end = ContinuousClock.now + length
        var look = ContinuousClock.now + .seconds(1)
        while ingestion.journal.isOpen, !Task.isShuttingDownGracefully, ContinuousClock.now < end {
            try await pause(min(.milliseconds(250), end - .now))
            guard progress.failures == 0, ContinuousClock.now >= look, ContinuousClock.now < end else { continue }
            if await isAsked(&progress) { break }
            look = .now + .seconds(1)
        }
        return !ingestion.journal.isOpen
    }

    /// Returns true if a release waits for acknowledged events, or if that is unknown: the next flush logs why.
    private func isAsked(_ progress: inout Progress) async -> Bool {
        do {
            guard try await database.counters.lastAsking().number == progress.settled else { return true }
            try await tellAlive(&progress)
            return false
        } catch { return true }
    }

    /// Makes the last flush before another process takes this one's place; returns false if PostgreSQL lacks anything.
    ///
    /// Nothing is acknowledged any more, as the journal is closed.
    func handOver(_ progress: inout Progress) async -> Bool {
        progress.rests = machine.elapsed()
        guard await flush(&progress), ingestion.gauges.journalLag == 0 else { return false }
        do { try await database.giveBack() } catch {
            // The other one has it, or waits until it may take it.
            logger.notice("the place in PostgreSQL was not given back", metadata: ["error": "\(error)"])
        }
        onFenced(.fenced(pending: 0))
        return true
    }

    /// Tells PostgreSQL that nothing more comes from here. A release need not wait for a daemon that has stopped, until
    /// the windows that are open now are over.
    private func leave() async {
        do {
            try ingestion.neighbours.leave()
            let owed = ingestion.owed
            try await database.counters.settle(.left(owing: owed?.lowerBound), owing: owed?.upperBound)
            // The membership comes after that: a daemon that comes later knows that this one has stopped.
            try ingestion.neighbours.hasLeft(try await membership())
        } catch { logger.notice("PostgreSQL does not know that nothing is left here", metadata: ["error": "\(error)"]) }
    }

    private func remove() async {
        guard ingestion.journal.isHeld else { return }
        do {
            while let found = try await machine.onThread({ [ingestion] in try ingestion.findDue() }) {
                guard try ingestion.remove(found) else { return }
            }
            telemetry.rounds.ended(.withdrawals)
        } catch {
            telemetry.rounds.failed(.withdrawals, error)
            logger.error(
                "somebody who asked for it could not be taken out of a window; it is tried again",
                metadata: ["error": "\(error)"])
        }
    }

    /// Drops windows that are over, whether PostgreSQL is there or not.
    private func tidy() async {
        // The keys and segments may be another's by now, which took this one's place while it stood still.
        guard ingestion.journal.isHeld else { return }
        await telemetry.rounds.make(.tidying) { try ingestion.tidy() }
    }

    private func flush(_ progress: inout Progress) async -> Bool {
        do {
            try await level(&progress)
            // The question is read before anything is frozen: all acknowledged by then goes before the answer.
            let asking = try await database.counters.lastAsking()
            let acknowledged = ingestion.position
            // A PostgreSQL that was set back to an earlier time asks again what it has asked then.
            if asking.number < progress.settled { progress.settled = 0 }
            let isDue = asking.number > progress.settled || machine.elapsed() >= progress.rests
            if let flush = progress.underWay ?? (isDue ? ingestion.freeze() : nil) {
                progress.underWay = flush
                // Only events on disk may reach PostgreSQL: those that a crash loses must not be counted.
                try await ingestion.journal.durable(flush.through)
                try await machine.onThread { [offered] in try offered.raise(to: flush.through) }
                let isKept = try await keep(flush)
                let started = machine.elapsed()
                let outcome = try await traces.span(.flush) { span in
                    let outcome = try await apply(flush)
                    span?.say(.cells, outcome.counters + outcome.distinctCounts)
                    span?.say(.attempts, progress.failures + 1)
                    return outcome
                }
                // PostgreSQL took this flush, so it has those before it. Later ones would not join them.
                if !isKept { try await forgetKept() }
                let ended = machine.elapsed()
                progress.rests =
                    ended
                    + Self.respite(
                        after: ended - started, atMost: longestInterval, daemons: ingestion.neighbours.counting)
                ingestion.applied(flush, closed: outcome.closedPeriods)
                progress.underWay = nil
            } else {
                let (found, expected) = (try await database.counters.watermark(), ingestion.flushed)
                guard found == expected else { throw StoreError.watermarkMoved(expected: expected, found: found) }
                try await tellAlive(&progress)
            }
            // If this daemon's clock is behind PostgreSQL's, it still counts in windows that are over.
            let now = Fault.trustClock.isOn ? clock.now : max(clock.now, asking.read)
            let owed = ingestion.owed
            if isDue, ingestion.flushed >= acknowledged, owed.map({ $0.lowerBound > now }) ?? true {
                try await database.counters.settle(asking, owing: owed?.upperBound)
                progress.settled = asking.number
                progress.told = machine.elapsed()
            }
            await prune()
            telemetry.databaseIsUp()
            telemetry.rounds.ended(.flush)
            standing.isLevel = true
            progress.failure = nil
            return true
        } catch {
            standing.isLevel = false
            progress.failure = error
            telemetry.flushFailed()
            progress.isAway = (error as? PostgresError)?.isAbsence ?? false
            report(error, &progress)
            return false
        }
    }

    /// Tells PostgreSQL between two flushes that nothing has changed, and that this process is alive.
    private func tellAlive(_ progress: inout Progress) async throws {
        guard machine.elapsed() >= progress.told + .seconds(30) else { return }
        try await database.counters.settle(
            Asking(number: progress.settled, read: .epoch), owing: ingestion.owed?.upperBound)
        progress.told = machine.elapsed()
    }

    /// Returns the pause after a flush.
    ///
    /// The pause grows with the time that the flush took and with the number of daemons that flush: PostgreSQL works
    /// for all of them less than a twentieth of the time. Cells touched again meanwhile cost nothing more. But counts
    /// that wait are lost with a data directory, so with more than five daemons PostgreSQL works more instead.
    static func respite(after flush: Duration, atMost longest: Duration, daemons: Int) -> Duration {
        min(flush * 20, longest) * min(daemons, 5)
    }

    private func report(_ error: any Error, _ progress: inout Progress) {
        switch error {
        case StoreError.fenced:
            ingestion.journal.refuseAll()
            onFenced(.fenced(pending: ingestion.gauges.journalLag))
        case DaemonError.succeeding:
            return logger.notice(
                "the flush waits for this daemon's place in PostgreSQL", metadata: ["error": "\(error)"])
        case let error as DaemonError:
            ingestion.journal.refuseAll()
            onFenced(error)
        case let error as JournalError where error.isFailedSync:
            ingestion.journal.refuseAll()
            onFenced(.journalFailed)
        case StoreError.attachmentLost where progress.isLevel, StoreError.watermarkMoved where progress.isLevel:
            // PostgreSQL is older than before: attach at once and see what it lacks. It answers, however long none did.
            progress.isLevel = false
            progress.failures = 0
            database.detach()
            logger.error("PostgreSQL is older than it was", metadata: ["error": "\(error)"])
        case PostgresError.closed:
            // This process closed it, as it stops and waits no longer.
            break
        case _ where error is StoreError || (error as? PostgresError)?.isRetryable == false:
            database.detach()
            progress.isLevel = false
            logger.critical(
                "PostgreSQL refuses the flush; nothing is lost, but this needs a person",
                metadata: ["error": "\(error)"])
        default:
            // A stop says at its end what stays.
            guard !Task.isShuttingDownGracefully else { return }
            logger.error("the flush failed and is tried again", metadata: ["error": "\(error)"])
        }
        telemetry.rounds.failed(.flush, error)
    }

    func apply(_ flush: Flush) async throws -> FlushOutcome {
        let started = machine.elapsed()
        let outcome = try await database.counters.flush(flush, now: clock.now)
        telemetry.flushed(
            seconds: (machine.elapsed() - started) / .seconds(1),
            cells: outcome.counters + outcome.distinctCounts, redirected: outcome.redirected)
        return outcome
    }
}

extension Machine {
    /// Runs blocking work on a thread outside the shared pool, or at once if there are no threads.
    func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        hasThreads ? try await onOwnThread(work) : try work()
    }
}
