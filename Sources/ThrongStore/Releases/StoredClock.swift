/// The latest time of day that was believed, as the database keeps it, and what PostgreSQL's own clock says.
public struct StoredClock: Sendable, Hashable {
    /// What PostgreSQL's clock said when it was asked. Unit: Unix seconds.
    public let database: Int64
    /// What was believed last; nil where nothing was yet.
    public let believed: Believed?

    /// A time of day that was believed.
    public struct Believed: Sendable, Hashable {
        /// Unit: Unix seconds.
        public let time: Int64
        /// Which start of which machine it was read in.
        public let machine: String
        /// How long that machine had run then. Unit: seconds.
        public let uptime: Int64
        /// How often an operator had said what time it is.
        public let confirmations: Int64

        /// Puts it together.
        public init(time: Int64, machine: String, uptime: Int64, confirmations: Int64 = 0) {
            self.time = time
            self.machine = machine
            self.uptime = uptime
            self.confirmations = confirmations
        }
    }

    /// Puts it together.
    public init(database: Int64, believed: Believed?) {
        self.database = database
        self.believed = believed
    }
}
