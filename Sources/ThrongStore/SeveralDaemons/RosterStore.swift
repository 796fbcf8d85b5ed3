/// The daemons that count into a database, for people.
///
/// Works as `throng_reporter`.
package final class RosterStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the daemons that ever attached to this database, in the order in which they did.
    package func members() async throws -> [EnrolledMember] {
        try await connection.run { try $0.run(Query.selectMembers()) }
    }
}
