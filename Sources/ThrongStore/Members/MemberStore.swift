package import ThrongPostgres

/// Who counts into a database.
///
/// Works as `throng_reporter`.
package final class MemberStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// The daemons that ever attached to this database, in the order of their names.
    package func members() async throws -> [Member] { try await connection.run { try $0.run(SelectMembers()) } }
}

/// A daemon that counts into a database, or did.
package struct Member: Sendable, Hashable {
    /// Its name in the database.
    package let daemon: DaemonID
    /// How long nothing was heard of it. Unit: seconds.
    package let silence: Int64
    /// Whether it has stopped in order and left nothing behind.
    package let hasStopped: Bool

    /// Puts it together.
    package init(daemon: DaemonID, silence: Int64, hasStopped: Bool) {
        self.daemon = daemon
        self.silence = silence
        self.hasStopped = hasStopped
    }
}

/// The daemons that ever attached to a database.
struct SelectMembers: RowQuery {
    static let text = Query("watermark.members", PackageResources.watermark_members_sql)

    func row(_ columns: inout RowReader) throws -> Member {
        Member(
            daemon: try columns.value { DaemonID($0) }, silence: max(try columns.integer(), 0),
            hasStopped: try columns.integer() != 0)
    }
}
