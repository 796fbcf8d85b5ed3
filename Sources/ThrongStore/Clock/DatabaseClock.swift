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
