internal import ThrongPostgres

extension ReleaseStore {
    /// What time it is by PostgreSQL, and what was believed last.
    package func clock() async throws -> StoredClock {
        try await connection.run { session in
            let rows = try session.query(Query.selectClock())
            guard rows.count == 1 else { throw PostgresError.unexpectedAnswer(query: Query.selectClock.name) }
            let believed =
                rows.isNull(0, 1)
                ? nil
                : StoredClock.Believed(
                    time: try rows.integer(0, 1), machine: try rows.text(0, 2), uptime: try rows.integer(0, 3),
                    confirmations: try rows.integer(0, 4))
            return StoredClock(database: try rows.integer(0, 0), believed: believed)
        }
    }

    /// Writes down a time of day that is believed, if it is later than what was; not where an operator has confirmed another
    /// one since.
    package func believe(_ time: StoredClock.Believed) async throws {
        try await connection.run { session in
            _ = try session.query(
                Query.raiseClock([
                    .instant(time.time), .text(time.machine), .integer(time.uptime), .integer(time.confirmations),
                ]))
        }
    }

    /// Writes down what time it is, on an operator's word.
    package func confirm(_ time: StoredClock.Believed) async throws {
        try await connection.run { session in
            _ = try session.query(
                Query.confirmClock([.instant(time.time), .text(time.machine), .integer(time.uptime)]))
        }
    }
}
