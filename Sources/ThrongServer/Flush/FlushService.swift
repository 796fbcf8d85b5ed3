internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import ThrongCounting
internal import ThrongJournal
internal import ThrongStore

/// Brings what was counted to PostgreSQL, again and again, exactly once each.
///
/// While PostgreSQL is away it waits longer and longer, up to half a minute; the journal keeps what comes. On a graceful
/// stop it flushes once more after the last request was answered.
struct FlushService: Service {
    let desk: CountingDesk
    let database: DatabaseLink
    let telemetry: Telemetry
    let clock: UnixClock
    let interval: Duration
    let logger: Logger

    func run() async throws {
        var failures = 0
        while !Task.isShuttingDownGracefully {
            failures = await flush() ? 0 : failures + 1
            tidy()
            let pause = failures == 0 ? interval : min(.milliseconds(250 * (1 << min(failures, 7))), .seconds(30))
            try await cancelWhenGracefulShutdown {
                do {
                    try await Task.sleep(for: pause)
                } catch is CancellationError {
                    // The stop woke us: the loop's condition takes it from here.
                }
            }
        }
        for _ in 0..<3 {
            if await flush(), desk.gauges.journalLag == 0 { break }
        }
        if desk.gauges.journalLag > 0 {
            logger.warning("stopped before PostgreSQL had everything; the journal keeps it for the next start")
        }
    }

    /// Lets go of windows that are over, whether PostgreSQL is there or not.
    private func tidy() {
        do {
            try desk.tidy()
        } catch {
            logger.error("keys and segments that are over could not be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Flushes what is pending; false where PostgreSQL did not take it.
    private func flush() async -> Bool {
        do {
            if let watermark = try await database.attachedNow() { desk.resolve(watermark: watermark) }
            if let flush = desk.freeze() {
                // Only what is on disk may reach PostgreSQL: what a crash takes back must not be counted.
                try await desk.journal.durable(flush.through)
                let started = ContinuousClock.now
                let outcome = try await database.counters.flush(flush, now: clock.now)
                let seconds = (ContinuousClock.now - started) / .seconds(1)
                desk.applied(flush, closed: outcome.closedPeriods)
                telemetry.flushed(
                    seconds: seconds,
                    cells: outcome.counters + outcome.distinctCounts + outcome.topContributions,
                    redirected: outcome.redirected)
            } else {
                try await database.check()
            }
            telemetry.databaseIsUp()
            return true
        } catch let error as StoreError where !error.isRetryable {
            telemetry.flushFailed()
            logger.critical(
                "PostgreSQL refuses the flush; nothing is lost, but this needs a person",
                metadata: ["error": "\(error)"])
            return false
        } catch {
            telemetry.flushFailed()
            logger.error("the flush failed and is tried again", metadata: ["error": "\(error)"])
            return false
        }
    }
}
