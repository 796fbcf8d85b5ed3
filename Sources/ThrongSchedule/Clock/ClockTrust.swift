internal import CLinux
internal import Foundation
package import Logging
internal import Synchronization
package import ThrongPlan
internal import ThrongReport
package import ThrongStore
internal import ThrongSystem

/// Decides whether to act by the time of day: a release, a deletion and the end of a window can't be taken back.
///
/// A clock is believed while it goes as fast as one that nobody sets, agrees with PostgreSQL's, and goes on from the
/// time that was believed last, which the database keeps. A machine that was off for long can't know how long: then a
/// person says. This is a pure state machine: the caller reads the clocks.
package struct ClockTrust: Sendable {
    /// The largest difference between clocks that agree. Unit: seconds.
    package static let tolerance: Int64 = 3600
    /// The longest rest after which the clock of another start needs no confirmation: a long weekend. Unit: seconds.
    package static let longestRest: Int64 = 4 * 86_400

    /// The time that was believed last, here or according to the database; nil before any was.
    package private(set) var believed: StoredClock.Believed?
    /// The reason why the time is not believed, as of the last look at PostgreSQL's clock; nil if it is believed.
    package private(set) var doubt: ClockDoubt?

    package init() {}

    /// Looks at the clocks and at what the database keeps.
    ///
    /// - Returns: the reason why the time is not believed; nil if it is, and then ``believed`` is to be kept.
    package mutating func look(_ reading: ClockReading, stored: StoredClock.Believed?) -> ClockDoubt? {
        if let stored, believed == nil || stored.confirmations != believed?.confirmations { believed = stored }
        doubt = judge(reading)
        if doubt == nil {
            believed = StoredClock.Believed(
                time: reading.time, machine: reading.machine, uptime: reading.uptime,
                confirmations: believed?.confirmations ?? 0)
        }
        return doubt
    }

    /// Checks that the clock goes on from where it was believed last; nil if it does. A ``doubt`` of the last look
    /// stays until the next.
    package func judge(_ reading: ClockReading) -> ClockDoubt? {
        if Fault.trustClock.isOn { return nil }
        let here = reading.time
        if let database = reading.database, Self.areApart(here, database) {
            return .apart(here: here, database: database)
        }
        guard let believed else { return nil }
        if believed.machine == reading.machine {
            let expected = believed.time + reading.uptime - believed.uptime
            return Self.areApart(here, expected) ? .jumped(here: here, expected: expected) : nil
        }
        if here < believed.time - Self.tolerance { return .back(here: here, believed: believed.time) }
        if here > believed.time + Self.longestRest { return .ahead(here: here, believed: believed.time) }
        return nil
    }

    private static func areApart(_ one: UnixSeconds, _ other: UnixSeconds) -> Bool {
        let (distance, overflow) = one.value.subtractingReportingOverflow(other.value)
        return overflow || distance.magnitude > UInt64(tolerance)
    }
}

/// The readings of all clocks at one moment.
package struct ClockReading: Sendable, Hashable {
    package var time: UnixSeconds
    /// The name of this machine's current start, from which ``uptime`` counts.
    package var machine: String
    /// The time for which the machine has run, asleep or not. Unit: seconds.
    package var uptime: Int64
    /// The time of day at PostgreSQL; nil if it was not asked.
    package var database: UnixSeconds?
}

/// The reason why the time of day is not believed.
package enum ClockDoubt: Error, Sendable, Hashable, CustomStringConvertible {
    case apart(here: UnixSeconds, database: UnixSeconds)
    /// The clock was set by more than passed on a clock that nobody sets.
    case jumped(here: UnixSeconds, expected: UnixSeconds)
    case back(here: UnixSeconds, believed: UnixSeconds)
    /// It is so much later than when anything ran last that only a person knows whether that is so.
    case ahead(here: UnixSeconds, believed: UnixSeconds)

    package var description: String {
        let found =
            switch self {
            case .apart(let here, let database):
                "it is \(Instant.text(here)) by the clock of this machine and \(Instant.text(database)) by "
                    + "PostgreSQL's. Set the one that is wrong"
            case .jumped(let here, let expected):
                "it is \(Instant.text(here)) by the clock, and \(Instant.text(expected)) by the time that has passed"
            case .back(let here, let believed):
                "it is \(Instant.text(here)) by the clock, and was \(Instant.text(believed)) before"
            case .ahead(let here, let believed):
                "it is \(Instant.text(here)) by the clock, and was \(Instant.text(believed)) when it was believed last"
            }
        guard case .apart = self else {
            return """
                The time of day is not believed: \(found). Set the clock right, or, where it is right, say so: `throng doctor \
                --confirm-clock DATE`, with today's date. Until then nothing is released or deleted, and no window ends.
                """
        }
        return "The time of day is not believed: \(found). Until they agree to the hour nothing is released or "
            + "deleted, and no window ends."
    }
}

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

/// The clocks of this machine, and whether the time of day is believed: one for all who act by it.
package final class MachineClock: Sendable {
    private let clock: UnixClock
    private let machine: String
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(ClockTrust())

    /// `machine` is the name of this machine's current start; `uptime` is since then, by a clock that nobody sets, in
    /// seconds.
    package init(
        _ clock: UnixClock = .system, machine: String = MachineClock.bootID,
        uptime: @escaping @Sendable () -> Int64 = MachineClock.secondsSinceBoot
    ) { (self.clock, self.machine, self.uptime) = (clock, machine, uptime) }

    /// The reason why the time is not believed, as far as can be told without PostgreSQL; nil if it is believed.
    package var doubt: ClockDoubt? {
        let reading = reading()
        return state.withLock { $0.doubt ?? $0.judge(reading) }
    }

    /// True if PostgreSQL's clock or the time in the database has confirmed the time since the start, and nothing has
    /// contradicted it since.
    package var isConfirmed: Bool { state.withLock { $0.believed != nil } && doubt == nil }

    /// Looks at all clocks, and stores the time if it is believed. Returns the doubt if it is not, and nil if it is.
    package func look(_ store: any ClockStore) async throws -> ClockDoubt? {
        if case .failure(let doubt) = try await believed(store) { doubt } else { nil }
    }

    /// Looks at all clocks, and stores the time if it is believed.
    ///
    /// - Returns: the time that was looked at. Acts that can't be undone go by this one, because the clock
    ///   may be set at any moment afterwards.
    package func believed(_ store: any ClockStore) async throws -> Result<UnixSeconds, ClockDoubt> {
        let stored = try await store.clock()
        var reading = reading()
        reading.database = stored.database
        let (doubt, believed) = state.withLock { trust in
            let doubt = trust.look(reading, stored: stored.believed)
            return (doubt, trust.believed)
        }
        if let doubt { return .failure(doubt) }
        if let believed { try await store.believe(believed) }
        return .success(reading.time)
    }

    /// Takes an operator's word that the clock here is right; an error if PostgreSQL's clock says otherwise.
    package func confirm(_ store: any ClockStore) async throws {
        var reading = reading()
        reading.database = try await store.clock().database
        if let doubt = ClockTrust().judge(reading) { throw doubt }
        try await store.confirm(
            StoredClock.Believed(time: reading.time, machine: machine, uptime: reading.uptime, confirmations: 0))
    }

    private func reading() -> ClockReading { ClockReading(time: clock.now, machine: machine, uptime: uptime()) }

    /// The kernel's name for this start of the machine; empty if it has none.
    package static let bootID: String = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }()

    /// Returns the time for which the machine has run, asleep or not. Unit: seconds.
    @Sendable package static func secondsSinceBoot() -> Int64 { throng_uptime() }
}

/// A store that knows PostgreSQL's time and keeps the time that was believed last; `DatabaseClock` is the real one.
package protocol ClockStore: Sendable {
    func clock() async throws -> StoredClock
    func believe(_ time: StoredClock.Believed) async throws
    func confirm(_ time: StoredClock.Believed) async throws
}

extension DatabaseClock: ClockStore {}
