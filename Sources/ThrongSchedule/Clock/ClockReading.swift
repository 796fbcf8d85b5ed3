/// What the clocks say at one moment.
package struct ClockReading: Sendable, Hashable {
    /// The time of day here. Unit: Unix seconds.
    package var time: Int64
    /// Which start of which machine this is: a clock that nobody sets counts from there.
    package var machine: String
    /// How long it has run, asleep or not. Unit: seconds.
    package var uptime: Int64
    /// The time of day at PostgreSQL; nil where it was not asked. Unit: Unix seconds.
    package var database: Int64?

    /// Puts a reading together.
    package init(time: Int64, machine: String, uptime: Int64, database: Int64? = nil) {
        self.time = time
        self.machine = machine
        self.uptime = uptime
        self.database = database
    }
}
