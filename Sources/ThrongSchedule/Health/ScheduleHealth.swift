internal import Synchronization
package import ThrongPlan

/// What the schedule counts about itself, for whoever watches over the daemon.
package final class ScheduleHealth: Sendable {
    package struct Counts: Sendable {
        package var releases = 0
        package var reports = 0
        /// Releases and reports.
        package var failures = 0
        package var reportFailures = 0
        /// Unit: Unix seconds; 0 before the first.
        package var lastRelease: Int64 = 0
        package var lastReport: Int64 = 0
        /// When the next release of an app is due; 0 where none is open. Unit: Unix seconds.
        package var releaseDue: [AppName: Int64] = [:]
        package var isClockDoubted = false
    }

    private let counts = Mutex(Counts())

    package init() {}

    /// All of it, as of now.
    package var snapshot: Counts { counts.withLock { $0 } }

    func released(at now: Int64) {
        counts.withLock { counts in
            counts.releases += 1
            counts.lastRelease = now
        }
    }

    func reported(at now: Int64) {
        counts.withLock { counts in
            counts.reports += 1
            counts.lastReport = now
        }
    }

    func failed() { counts.withLock { $0.failures += 1 } }
    func reportFailed() {
        counts.withLock { counts in
            counts.reportFailures += 1
            counts.failures += 1
        }
    }

    func releaseIsDue(at due: Int64?, app: AppName) { counts.withLock { $0.releaseDue[app] = due ?? 0 } }
    func clock(isDoubted: Bool) { counts.withLock { $0.isClockDoubted = isDoubted } }
}
