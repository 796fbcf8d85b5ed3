internal import ThrongPostgres

extension ReleaseStore {
    /// Asks all daemons to say when PostgreSQL has what they acknowledged up to now; returns the asking's number.
    package func askToSettle() async throws -> Int64 {
        try await connection.run { try $0.query(Query.askToSettle()).integer(0, 0) }
    }

    /// The daemons that have not answered an asking, in the order of their names. One that has stopped and left nothing
    /// behind has answered all of them.
    package func unsettled(_ asking: Int64) async throws -> [UnsettledDaemon] {
        try await connection.run { session in
            let rows = try session.query(Query.selectUnsettled([.integer(asking)]))
            return try rows.indices.map { row in
                guard let id = DaemonID(try rows.text(row, 0)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectUnsettled.name)
                }
                return UnsettledDaemon(daemon: id, silence: max(try rows.integer(row, 1), 0))
            }
        }
    }
}
