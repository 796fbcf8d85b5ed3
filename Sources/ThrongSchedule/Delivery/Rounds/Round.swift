package import Logging
internal import ServiceLifecycle
internal import Synchronization
package import ThrongPlan
package import ThrongStore

/// A task that a daemon repeats. The list is closed: labels of metrics are made of it.
///
/// Every loop of the daemon makes one of them, by ``PeriodicTask`` or through ``RoundHealth``, so that none can fail in silence.
package enum Round: String, CaseIterable, Sendable {
    /// Counted deltas go to PostgreSQL.
    case flush
    /// Keys and segments of windows that are over go.
    case tidying
    /// Those who asked for it are taken out of windows.
    case withdrawals
    /// Flushes that PostgreSQL can't lose any more go.
    case keptFlushes = "kept_flushes"
    /// Checkpoints of open windows are written for the next start.
    case checkpoints
    /// PostgreSQL is asked whether this process still has its place.
    case place
    /// PostgreSQL is asked who counts.
    case members
    /// PostgreSQL is asked which plans are in force.
    case plans
    /// It is looked at what is due.
    case schedule
    /// Periods are opened by the clock.
    case calendar
    /// Periods that are due are released.
    case releases
    /// Reports that are due are made.
    case reports
    /// Reports that were made are delivered.
    case deliveries
    /// Numbers go by their age.
    case retention
    /// Keys go of what backups have and the house has no more.
    case backupKeys = "backup_keys"
    /// Reports go from folders by their age.
    case copies
    /// Rows that age has deleted go from pages of tables.
    case pages
    /// It is looked at what age has left.
    case age
    /// It is looked at how old the last backup is.
    case backups
    /// Keys of the oblivious gateway come and go.
    case gatewayKeys = "gateway_keys"
    /// Keys of credentials come and go.
    case credentialKeys = "credential_keys"
    /// Keys of apps are read anew.
    case appKeys = "app_keys"
    /// The certificate is read anew.
    case certificate
    /// Connections end with their window.
    case connections
    /// Labels that other daemons learned are looked up.
    case labels
    /// Sessions of pages are forgotten.
    case sessions
    /// Refusals are told in the log.
    case securityLog = "security_log"
    /// Spans are sent to the collector.
    case traces

    /// The rounds that one daemon of many makes for all.
    package static let scheduled: [Round] = [
        .schedule, .calendar, .releases, .reports, .retention, .copies, .pages, .age,
    ]

    /// The longest time between the ends of two rounds. Unit: seconds.
    package var promise: Int64 {
        switch self {
        // Once a day, and again until it succeeds.
        case .retention, .backupKeys, .copies, .pages: 26 * 3600
        // A large release takes its time, and one that waits for another daemon is told of by itself.
        case .schedule, .calendar, .releases, .reports, .deliveries, .age, .checkpoints: 2 * 3600
        // The more cells a flush has, and the more daemons there are, the longer the pause.
        case .flush: 3600
        case .tidying, .withdrawals, .keptFlushes, .place, .members, .plans, .backups, .gatewayKeys,
            .credentialKeys, .appKeys, .certificate, .connections, .labels, .sessions, .securityLog, .traces:
            15 * 60
        }
    }

    package var words: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("_", with: " ") }
}

/// The outcomes of the daemon's rounds, for whoever watches over it.
///
/// This is the one place where a round can fail: each is an error in the log, a count, and a gauge.
package final class RoundHealth: Sendable {
    package struct Standing: Sendable {
        /// The time at which it last came to its end with nothing left undone, or since which the first is expected.
        package fileprivate(set) var last: UnixSeconds
        package fileprivate(set) var failures = 0
        /// The troubles that the last one left behind, by app; nil stands for what is of no app.
        fileprivate var troubles: [AppName?: Trouble] = [:]

        package var isFailing: Bool { !troubles.isEmpty }
    }

    /// The reason why something was left undone, and the time at which that was said.
    fileprivate struct Trouble {
        let reason: String
        let saidAt: UnixSeconds
    }

    /// A round that had nothing to try, after one that failed: it counts neither as another failure nor as its end.
    package enum Skipped: Error { case nothingToTry }

    private let clock: UnixClock
    private let logger: Logger
    private let state = Mutex<[Round: Standing]>([:])

    /// The time after which a round that fails for the same reason says so again. Unit: seconds.
    private static let reminder: Int64 = 3600

    package init(
        clock: UnixClock = .system, logger: Logger = Logger(label: "rounds") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.clock = clock
        self.logger = logger
    }

    package var snapshot: [Round: Standing] { state.withLock { $0 } }

    /// True if a round should have come to its end since it last did. A clock that was set back hides nothing.
    package static func isOverdue(_ round: Round, _ standing: Standing, at now: UnixSeconds) -> Bool {
        abs(now - standing.last) > round.promise
    }

    /// True if an error shows only that this process stops: whoever starts next makes the round.
    package static func isStop(_ error: any Error) -> Bool {
        error is CancellationError || error as? PostgresError == .closed
    }

    /// Expects the rounds from now on: they are made here, and missed where they don't come.
    package func expect(_ rounds: Round...) {
        let now = clock.now
        state.withLock { state in for round in rounds where state[round] == nil { state[round] = Standing(last: now) } }
    }

    /// A round came to its end: all of it, or its part that is about an app.
    package func ended(_ round: Round, app: AppName? = nil) {
        let now = clock.now
        let wasFailing = state.withLock { state in
            var standing = state[round] ?? Standing(last: now)
            defer { state[round] = standing }
            let wasFailing = standing.isFailing
            if app == nil { standing.troubles = [:] } else { standing.troubles.removeValue(forKey: app) }
            guard !standing.isFailing else { return false }
            standing.last = now
            return wasFailing
        }
        if wasFailing { logger.notice("a round came to its end again", metadata: ["round": "\(round.rawValue)"]) }
    }

    /// A round, or its part that is about an app, did not come to its end and is made again.
    package func failed(_ round: Round, app: AppName? = nil, _ error: any Error) {
        guard !Self.isStop(error), !(error is Skipped) else { return }
        let (now, reason) = (clock.now, "\(error)")
        let isSaid = state.withLock { state in
            var standing = state[round] ?? Standing(last: now)
            defer { state[round] = standing }
            standing.failures += 1
            if let known = standing.troubles[app], known.reason == reason, abs(now - known.saidAt) < Self.reminder {
                return true
            }
            standing.troubles[app] = Trouble(reason: reason, saidAt: now)
            return false
        }
        guard !isSaid else { return }
        var facts: Logger.Metadata = ["round": "\(round.rawValue)", "error": "\(reason)"]
        facts["app"] = app.map { "\($0)" }
        logger.error("a round did not come to its end and is made again", metadata: facts)
    }

    /// Makes a round, or its part that is about an app; nil where it did not come to its end.
    @discardableResult package func make<Value>(
        _ round: Round, app: AppName? = nil, _ work: () async throws -> Value
    ) async -> Value? {
        do {
            let value = try await work()
            ended(round, app: app)
            return value
        } catch {
            failed(round, app: app, error)
            return nil
        }
    }

    /// The same of a round that is about all apps, and says of which it left something undone.
    package func make<Value>(
        _ round: Round, leaving troubles: (Value) -> [AppTrouble], _ work: () async throws -> Value
    ) async -> Value? {
        do {
            let value = try await work()
            let left = troubles(value)
            if left.isEmpty { ended(round) }
            for trouble in left { failed(round, app: trouble.app, trouble) }
            return value
        } catch {
            failed(round, error)
            return nil
        }
    }
}

/// Makes a round again and again until the daemon stops.
package struct PeriodicTask: Service {
    private let round: Round
    private let (interval, retry): (Duration, Duration)
    private let health: RoundHealth
    private let work: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - interval: between two rounds; the first is at once.
    ///   - retry: the pause after a round that failed; nil for the same.
    package init(
        _ round: Round, every interval: Duration, retry: Duration? = nil, on health: RoundHealth,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        (self.round, self.interval, self.retry) = (round, interval, retry ?? interval)
        (self.health, self.work) = (health, work)
    }

    package func run() async throws {
        health.expect(round)
        while !Task.isShuttingDownGracefully {
            try await pause(await health.make(round, work) == nil ? retry : interval)
        }
    }
}

/// Sleeps, until a graceful stop at the longest: then it returns at once, and the caller's loop looks whether to go on.
package func pause(_ length: Duration) async throws {
    try await cancelWhenGracefulShutdown {
        do { try await Task.sleep(for: length) } catch is CancellationError {
            // The stop woke us.
        }
    }
}
