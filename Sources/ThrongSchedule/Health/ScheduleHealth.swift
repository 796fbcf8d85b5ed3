internal import Synchronization
package import ThrongPlan
package import ThrongStore

/// The schedule's figures about itself, for those who watch the daemon.
package final class ScheduleHealth: Sendable {
    package struct Counts: Sendable {
        package var releases = 0
        package var reports = 0
        package var failures = 0
        package var reportFailures = 0
        /// 1970 before the first.
        package var lastRelease = UnixSeconds.epoch
        package var lastReport = UnixSeconds.epoch
        /// The time at which an app's next release is due; 1970 if none is open.
        package var releaseDue: [AppName: UnixSeconds] = [:]
        /// The time by which the data of an app that expires next should be gone; 1970 if none is left.
        package var retentionDeadline: [AppName: UnixSeconds] = [:]
        /// Steps of promises that should have been taken and were not, by app.
        package var retentionOverdue: [AppName: Int] = [:]
        package var isClockDoubted = false
        /// The daemons that releases wait for, as of the last look at what is due.
        package var waitsFor: [UnsettledDaemon] = []
    }

    package let rounds: RoundHealth
    private let counts = Mutex(Counts())

    package init(rounds: RoundHealth = RoundHealth()) { self.rounds = rounds }

    package var snapshot: Counts { counts.withLock { $0 } }

    func released(at now: UnixSeconds) {
        counts.withLock { counts in
            counts.releases += 1
            counts.lastRelease = now
        }
    }

    func reported(at now: UnixSeconds) {
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

    func releaseIsDue(at due: UnixSeconds?, app: AppName) { counts.withLock { $0.releaseDue[app] = due ?? .epoch } }

    /// The data is of every app in the database; the served ones are listed even if nothing of them is left.
    func retentionIsDue(_ due: [RetentionDue], apps: [AppName], now: UnixSeconds) {
        let none = apps.map { ($0, 0) }
        let deadlines = due.map { ($0.app, $0.deadline) } + apps.map { ($0, UnixSeconds.max) }
        let late = due.map { ($0.app, $0.isOverdue(at: now) ? 1 : 0) }
        counts.withLock { counts in
            counts.retentionDeadline = Dictionary(deadlines, uniquingKeysWith: min)
                .mapValues { $0 == .max ? .epoch : $0 }
            counts.retentionOverdue = Dictionary(late + none, uniquingKeysWith: +)
        }
    }

    /// Forgets the figures of due work, as another daemon looks after it now.
    func resigned() {
        for round in Round.scheduled { rounds.ended(round) }
        counts.withLock { counts in
            counts.releaseDue = [:]
            counts.retentionDeadline = [:]
            counts.retentionOverdue = [:]
            counts.waitsFor = []
        }
    }

    func releasesWait(for daemons: [UnsettledDaemon]) { counts.withLock { $0.waitsFor = daemons } }
    func clock(isDoubted: Bool) { counts.withLock { $0.isClockDoubted = isDoubted } }
}

/// Says whether PostgreSQL has all that was counted up to a moment ago. None may wait in a journal.
package final class FlushStanding: Sendable {
    private let state = Mutex(false)

    package init() {}

    package var isLevel: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
