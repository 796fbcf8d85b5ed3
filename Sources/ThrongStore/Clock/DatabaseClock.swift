package import ThrongPlan

/// PostgreSQL's clock, and the time of day that was believed last, which the database keeps for all daemons.
package final class DatabaseClock: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Returns PostgreSQL's clock and the time that was believed last.
    package func clock() async throws -> StoredClock { try await connection.one(Query.selectClock()) }

    /// Saves a believed time of day if it is later than the saved one, and no operator has confirmed another since.
    package func believe(_ time: StoredClock.Believed) async throws {
        try await connection.run(Query.raiseClock(believed: time))
    }

    package func confirm(_ time: StoredClock.Believed) async throws {
        try await connection.run(Query.confirmClock(believed: time))
    }

    package func close() { connection.close() }
}

/// The latest time of day that was believed, as the database keeps it, and the time by PostgreSQL's clock.
package struct StoredClock: Sendable, Hashable {
    package let database: UnixSeconds
    /// The time that was believed last; nil where none was yet.
    package let believed: Believed?

    package struct Believed: Sendable, Hashable {
        package let time: UnixSeconds
        /// The start of a machine that the time was read in.
        package let machine: String
        /// The time that machine had run then. Unit: seconds.
        package let uptime: Int64
        /// The number of times an operator had confirmed the time of day.
        package let confirmations: Int64

        package init(time: UnixSeconds, machine: String, uptime: Int64, confirmations: Int64 = 0) {
            (self.time, self.machine, self.uptime, self.confirmations) = (time, machine, uptime, confirmations)
        }
    }
}

extension Query {
    static func selectClock() -> RowQuery<StoredClock> { RowQuery(clock_select_sql, row: StoredClock.init) }

    static func raiseClock(believed: StoredClock.Believed) -> Statement {
        Statement(clock_raise_sql, believed.time, believed.machine, believed.uptime, believed.confirmations)
    }

    static func confirmClock(believed: StoredClock.Believed) -> Statement {
        Statement(clock_confirm_sql, believed.time, believed.machine, believed.uptime)
    }
}

extension StoredClock.Believed: ColumnValue {
    static var columns: Int { 4 }
    init(reading row: inout RowReader) throws {
        self.init(time: try row.next(), machine: try row.next(), uptime: try row.next(), confirmations: try row.next())
    }
}
