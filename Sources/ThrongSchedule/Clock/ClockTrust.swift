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
