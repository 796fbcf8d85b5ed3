package import Logging
internal import Synchronization
package import ThrongPlan
internal import ThrongStore

/// Checks that the time of day is believed before anything is done that can't be undone.
///
/// If the time is not believed, the log says so: when that begins, changes or ends, and once a minute.
///
/// ``MachineClock`` reads the clocks, ``ClockTrust`` judges them, and `DatabaseClock` keeps the believed time for all
/// daemons. This guard asks before each act. A data directory's own mark, for its windows, is `BelievedTime`.
package final class ClockGuard: Sendable {
    private let clock: MachineClock
    private let store: any ClockStore
    private let health: ScheduleHealth
    private let logger: Logger
    private let said = Mutex(Said())

    private struct Said {
        var isDoubted = false
        var at = ContinuousClock.now
    }

    package init(clock: MachineClock, store: any ClockStore, health: ScheduleHealth, logger: Logger) {
        (self.clock, self.store, self.health, self.logger) = (clock, store, health, logger)
    }

    /// Returns the time by which to act now; nil if it is not believed, or PostgreSQL can't be asked.
    package func believed() async -> UnixSeconds? {
        do {
            switch try await clock.believed(store) {
            case .success(let now):
                say(nil)
                return now
            case .failure(let doubt):
                say(doubt)
                return nil
            }
        } catch {
            health.rounds.failed(.schedule, error)
            return nil
        }
    }

    private func say(_ doubt: ClockDoubt?) {
        health.clock(isDoubted: doubt != nil)
        let (wasDoubted, isDue) = said.withLock { said in
            let now = ContinuousClock.now
            let was = said.isDoubted
            let isDue = was != (doubt != nil) || now - said.at >= .seconds(60)
            said.isDoubted = doubt != nil
            if isDue { said.at = now }
            return (was, isDue)
        }
        guard isDue else { return }
        if let doubt {
            logger.error(
                "the time of day is not believed: nothing is released or deleted, and no window ends",
                metadata: ["reason": "\(doubt)"])
        } else if wasDoubted {
            logger.notice("the time of day is believed again")
        }
    }
}
