package import ThrongPlan
package import ThrongPostgres

/// What time it is by PostgreSQL, and what was believed last, as the database keeps it for all daemons.
///
/// Works as `throng_reporter`.
package final class DatabaseClock: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Works over a connection of its own.
    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// What time it is by PostgreSQL, and what was believed last.
    package func clock() async throws -> StoredClock {
        try await connection.run { try $0.one(SelectClock()) }
    }

    /// Writes down a time of day that is believed, if it is later than what was; not where an operator has confirmed another
    /// one since.
    package func believe(_ time: StoredClock.Believed) async throws {
        _ = try await connection.run { try $0.run(RaiseClock(believed: time)) }
    }

    /// Writes down what time it is, on an operator's word.
    package func confirm(_ time: StoredClock.Believed) async throws {
        _ = try await connection.run { try $0.run(ConfirmClock(believed: time)) }
    }

    /// Closes the connection.
    package func close() { connection.close() }
}

/// The latest time of day that was believed, as the database keeps it, and what PostgreSQL's own clock says.
package struct StoredClock: Sendable, Hashable {
    /// What PostgreSQL's clock said when it was asked.
    package let database: UnixSeconds
    /// What was believed last; nil where nothing was yet.
    package let believed: Believed?

    /// A time of day that was believed.
    package struct Believed: Sendable, Hashable {
        package let time: UnixSeconds
        /// Which start of which machine it was read in.
        package let machine: String
        /// How long that machine had run then. Unit: seconds.
        package let uptime: Int64
        /// How often an operator had said what time it is.
        package let confirmations: Int64

        /// Puts it together.
        package init(time: UnixSeconds, machine: String, uptime: Int64, confirmations: Int64 = 0) {
            self.time = time
            self.machine = machine
            self.uptime = uptime
            self.confirmations = confirmations
        }
    }

    /// Puts it together.
    package init(database: UnixSeconds, believed: Believed?) {
        self.database = database
        self.believed = believed
    }
}
