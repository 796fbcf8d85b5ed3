/// The latest time of day that was believed, as the database keeps it, and what PostgreSQL's own clock says.
package struct StoredClock: Sendable, Hashable {
    /// What PostgreSQL's clock said when it was asked. Unit: Unix seconds.
    package let database: Int64
    /// What was believed last; nil where nothing was yet.
    package let believed: Believed?

    /// A time of day that was believed.
    package struct Believed: Sendable, Hashable {
        /// Unit: Unix seconds.
        package let time: Int64
        /// Which start of which machine it was read in.
        package let machine: String
        /// How long that machine had run then. Unit: seconds.
        package let uptime: Int64
        /// How often an operator had said what time it is.
        package let confirmations: Int64

        /// Puts it together.
        package init(time: Int64, machine: String, uptime: Int64, confirmations: Int64 = 0) {
            self.time = time
            self.machine = machine
            self.uptime = uptime
            self.confirmations = confirmations
        }
    }

    /// Puts it together.
    package init(database: Int64, believed: Believed?) {
        self.database = database
        self.believed = believed
    }
}
