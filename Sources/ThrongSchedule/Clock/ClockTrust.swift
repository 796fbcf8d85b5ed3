internal import ThrongFaults
package import ThrongStore

/// Decides whether the time of day may be acted upon: a release, a deletion and the end of a window can't be taken back.
///
/// A clock is believed while it goes as fast as one that nobody sets, agrees with PostgreSQL's, and goes on from where it
/// was believed last, which the database keeps. A machine that was off for long can't know how long: then a person says.
/// A pure state machine: whoever asks reads the clocks.
package struct ClockTrust: Sendable {
    /// How far clocks may be apart. Unit: seconds.
    package static let tolerance: Int64 = 3600
    /// How long nothing may have run before the clock of another start is to be confirmed: a long weekend. Unit: seconds.
    package static let longestRest: Int64 = 4 * 86_400

    /// What was believed last, here or by what the database keeps; nil before anything was.
    package private(set) var believed: StoredClock.Believed?
    /// Why not, since the last look at PostgreSQL's clock.
    package private(set) var doubt: ClockDoubt?

    /// Believes nothing yet.
    package init() {}

    /// Looks at the clocks and at what the database keeps.
    ///
    /// - Returns: why the time is not believed; nil where it is, and then ``believed`` is to be kept.
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

    /// Whether the clock goes on from where it was believed last; nil where it does. What was wrong at the last look stays
    /// wrong until the next.
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

    private static func areApart(_ one: Int64, _ other: Int64) -> Bool {
        let (distance, overflow) = one.subtractingReportingOverflow(other)
        return overflow || distance.magnitude > UInt64(tolerance)
    }
}
