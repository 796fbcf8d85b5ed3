package import ThrongPostgres

/// Whether PostgreSQL has what daemons acknowledged: who asks them, and who has not answered.
///
/// Works as `throng_reporter`.
package final class SettlementStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Works over a connection of its own.
    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Asks all daemons to say when PostgreSQL has what they acknowledged up to now; returns the asking's number.
    package func askToSettle() async throws -> Int64 {
        try await connection.run { try $0.one(AskToSettle()) }
    }

    /// The daemons that have not answered an asking, in the order of their names. One that has stopped and left nothing
    /// behind has answered all of them.
    package func unsettled(_ asking: Int64) async throws -> [UnsettledDaemon] {
        try await connection.run { try $0.run(SelectUnsettled(asking: asking)) }
    }

    /// Closes the connection.
    package func close() { connection.close() }
}
