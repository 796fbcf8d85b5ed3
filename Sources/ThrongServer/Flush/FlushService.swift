internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import ThrongCounting
internal import ThrongDelivery
internal import ThrongFaults
internal import ThrongJournal
internal import ThrongMembers
internal import ThrongPostgres
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongTraces
internal import ThrongWire

/// Brings what was counted to PostgreSQL, again and again, exactly once each.
///
/// While PostgreSQL is away it looks for it every other second, as another server may take its place; while it refuses, it
/// waits longer and longer, up to half a minute. The journal keeps what comes. Where PostgreSQL comes back older than it was, what it has lost is flushed again first. On a graceful stop it flushes once
/// more after the last request was answered.
struct FlushService: Service {
    let ingestion: Ingestion
    let database: DatabaseLink
    let kept: KeptFlushes
    let offered: OfferedMark
    /// What the journal can't tell any more: PostgreSQL or the kept flushes must have it.
    let unreadable: JournalPosition
    /// How far the journal went at the start.
    let first: JournalPosition
    let standing: FlushStanding
    let telemetry: Telemetry
    let clock: UnixClock
    let interval: Duration
    let longestInterval: Duration
    let machine: Machine
    let logger: Logger
    var traces = Traces.off
    /// Who counts with this daemon, as PostgreSQL says now; nil where it does not know it.
    var membership: @Sendable () async throws -> Membership? = { nil }
    /// Called where this process may flush no more and has to end.
    let onFenced: @Sendable (DaemonError) -> Void

    /// What is known from one flush to the next.
    struct Progress {
        /// Whether PostgreSQL has everything that this process or an earlier one flushed.
        var isLevel = false
        /// Whether it ever had, in this process.
        var wasLevel = false
        /// The flush that PostgreSQL gets until it says that it has it.
        var underWay: Flush?
        /// The last asking that was answered: whether PostgreSQL has all that was acknowledged.
        var settled: Int64 = 0
        /// When PostgreSQL heard of this process last. Unit: see ``Machine/elapsed``.
        var told = Duration.zero
        /// Until then PostgreSQL is only asked whether all is well. Unit: see ``Machine/elapsed``.
        var rests = Duration.zero
        /// How often in a row PostgreSQL did not take what it was to get.
        var failures = 0
        /// Whether nobody answered the last time: whoever does next may be another server.
        var isAway = false
        /// Why PostgreSQL did not take the last flush; nil where it did.
        var failure: (any Error)?

        /// How long to rest after a round.
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

    /// Lets go of what is over and flushes once; returns how long to rest then.
    func round(_ progress: inout Progress) async -> Duration {
        // What comes of windows that are over is in the flush: a release that is told of it has all of them.
        await remove()
        tidy()
        progress.failures = await flush(&progress) ? 0 : progress.failures + 1
        return progress.rest(interval)
    }

    /// Flushes once more after the last request was answered.
    private func finish(_ progress: inout Progress) async {
        var isComplete = false
        for attempt in 0..<3 where attempt == 0 || !isComplete && progress.failure.map(Self.isWorthAnother) ?? true {
            progress.rests = machine.elapsed()
            // Who is still to be taken out of a window waits for the next start, as a release does.
            tidy()
            isComplete = await flush(&progress) && ingestion.gauges.journalLag == 0
        }
        if isComplete { await leave() }
        sayWhatStays(progress)
        // A PostgreSQL that did not take the flush does not take the place either.
        guard progress.failure == nil else { return }
        do {
            try await database.giveBack()
        } catch {
            logger.notice(
                "the place in PostgreSQL was not given back: whoever takes it on another machine has to wait",
                metadata: ["error": "\(error)"])
        }
    }

    /// Whether the last flush may succeed where it failed a moment ago.
    private static func isWorthAnother(_ failure: any Error) -> Bool {
        switch failure {
        case StoreError.attachmentLost, StoreError.watermarkMoved: true
        case let failure as PostgresError: failure.isRetryable
        default: false
        }
    }

    /// Says once what a stop without PostgreSQL leaves to the next start.
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

    /// Rests, but no longer than until somebody waits for what was acknowledged, or the journal is closed, as another process
    /// is taking this one's place; true where it is.
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

    /// Whether somebody waits for what was acknowledged, or that can't be told: then the next flush says what is wrong.
    private func isAsked(_ progress: inout Progress) async -> Bool {
        do {
            guard try await database.counters.lastAsking().number == progress.settled else { return true }
            try await tellAlive(&progress)
            return false
        } catch {
            return true
        }
    }

    /// The last flush before another process takes this one's place; false where PostgreSQL does not have everything yet.
    /// What was counted before the journal was closed is all that will ever be acknowledged.
    func handOver(_ progress: inout Progress) async -> Bool {
        progress.rests = machine.elapsed()
        guard await flush(&progress), ingestion.gauges.journalLag == 0 else { return false }
        do {
            try await database.giveBack()
        } catch {
            // The other one has it, or waits until it may take it.
            logger.notice("the place in PostgreSQL was not given back", metadata: ["error": "\(error)"])
        }
        onFenced(.fenced(pending: 0))
        return true
    }

    /// Says that nothing is to come from here: a release need not wait for a daemon that has stopped, before windows are over that
    /// are open now.
    private func leave() async {
        do {
            try ingestion.neighbours.leave()
            let owed = ingestion.owed
            try await database.counters.settle(.left(owing: owed?.lowerBound), owing: owed?.upperBound)
            // Asked after that: who comes later knows that this one has stopped.
            try ingestion.neighbours.hasLeft(try await membership())
        } catch {
            logger.notice("PostgreSQL does not know that nothing is left here", metadata: ["error": "\(error)"])
        }
    }

    /// Takes those out who asked for it.
    private func remove() async {
        guard ingestion.journal.isHeld else { return }
        do {
            while let found = try await onThread({ [ingestion] in try ingestion.findDue() }) {
                let (places, through) = ingestion.watchSums(of: found)
                if !places.isEmpty { try await ingestion.journal.durable(through) }
                let leaders = try await onThread { [ingestion] in
                    try ingestion.leaders(of: places, without: found, through: through)
                }
                guard try ingestion.remove(found, leaders: leaders) else { return }
            }
            telemetry.rounds.ended(.withdrawals)
        } catch {
            telemetry.rounds.failed(.withdrawals, error)
            logger.error(
                "somebody who asked for it could not be taken out of a window; it is tried again",
                metadata: ["error": "\(error)"])
        }
    }

    /// Lets go of windows that are over, whether PostgreSQL is there or not.
    private func tidy() {
        // The keys and segments may be another's by now, which took this one's place while it stood still.
        guard ingestion.journal.isHeld else { return }
        do {
            try ingestion.tidy()
            telemetry.rounds.ended(.tidying)
        } catch {
            telemetry.rounds.failed(.tidying, error)
        }
    }

    /// Flushes what is pending; false where PostgreSQL did not take it.
    private func flush(_ progress: inout Progress) async -> Bool {
        do {
            try await level(&progress)
            // Read before anything is frozen: what was acknowledged by then is to be in PostgreSQL before it is answered.
            let asking = try await database.counters.lastAsking()
            let acknowledged = ingestion.position
            // A PostgreSQL that was set back to an earlier time asks again what it has asked then.
            if asking.number < progress.settled { progress.settled = 0 }
            let isDue = asking.number > progress.settled || machine.elapsed() >= progress.rests
            if let flush = progress.underWay ?? (isDue ? ingestion.freeze() : nil) {
                progress.underWay = flush
                // Only what is on disk may reach PostgreSQL: what a crash takes back must not be counted.
                try await ingestion.journal.durable(flush.through)
                try await onThread { [offered] in try offered.raise(to: flush.through) }
                let isKept = try await keep(flush)
                let started = machine.elapsed()
                let outcome = try await traces.span(.flush) { span in
                    let outcome = try await apply(flush)
                    span?.say(
                        .cells, outcome.counters + outcome.distinctCounts + outcome.topContributions)
                    span?.say(.attempts, progress.failures + 1)
                    return outcome
                }
                // That PostgreSQL took this one shows that it has those before it. What comes later would not join them.
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
            // Where this one's clock is behind PostgreSQL's, windows are over that it still counts in.
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

    /// Says between two flushes that nothing has changed, and this process is there.
    private func tellAlive(_ progress: inout Progress) async throws {
        guard machine.elapsed() >= progress.told + .seconds(30) else { return }
        try await database.counters.settle(
            Asking(number: progress.settled, read: .epoch), owing: ingestion.owed?.upperBound)
        progress.told = machine.elapsed()
    }

    /// The more cells a flush touches, and the more daemons flush as this one does, the longer the pause: PostgreSQL works for
    /// all of them less than a twentieth of the time. What is touched again meanwhile is merged in memory and costs nothing more. What
    /// waits is lost with a data directory: for more than a few daemons PostgreSQL works more instead.
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
            // An older PostgreSQL than before: attach to it and see what it lacks, at once. It answers, however long none did.
            progress.isLevel = false
            progress.failures = 0
            database.detach()
            logger.error("PostgreSQL is older than it was", metadata: ["error": "\(error)"])
        case PostgresError.closed:
            // By this process, which stops and waits no longer.
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
            cells: outcome.counters + outcome.distinctCounts + outcome.topContributions,
            redirected: outcome.redirected)
        return outcome
    }

    /// Runs what blocks on a thread outside the shared pool.
    func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        machine.hasThreads ? try await onOwnThread(work) : try work()
    }
}
