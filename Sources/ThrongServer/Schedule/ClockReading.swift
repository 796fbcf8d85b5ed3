/// What the clocks say at one moment.
public struct ClockReading: Sendable, Hashable {
    /// The time of day here. Unit: Unix seconds.
    public var time: Int64
    /// Which start of which machine this is: a clock that nobody sets counts from there.
    public var machine: String
    /// How long it has run, asleep or not. Unit: seconds.
    public var uptime: Int64
    /// The time of day at PostgreSQL; nil where it was not asked. Unit: Unix seconds.
    public var database: Int64?

    /// Puts a reading together.
    public init(time: Int64, machine: String, uptime: Int64, database: Int64? = nil) {
        self.time = time
        self.machine = machine
        self.uptime = uptime
        self.database = database
    }
}
