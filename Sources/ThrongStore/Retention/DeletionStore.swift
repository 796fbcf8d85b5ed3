internal import ThrongPlan
package import ThrongPostgres

/// Reads what age took.
///
/// Works as `throng_reporter`.
package struct DeletionStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// All of it, oldest first.
    package func entries() async throws -> [DeletionEntry] {
        try await connection.run { try $0.run(SelectDeletions()) }
    }
}

/// What age took, oldest first.
struct SelectDeletions: RowQuery {
    static let text = Query("deletion.select", PackageResources.deletion_select_sql)

    func row(_ columns: inout RowReader) throws -> DeletionEntry {
        let place = try columns.integer()
        let taken = try columns.time()
        let (app, kind, subject, term) = (
            try columns.text(), try columns.text(), try columns.text(), try columns.text()
        )
        let (start, end) = (try columns.optionalTime(), try columns.optionalTime())
        return DeletionEntry(
            place: place, taken: taken, app: app, kind: kind, subject: subject, term: term,
            period: start.flatMap { start in end.map { start..<max(start, $0) } }, rows: try columns.integer(),
            digest: try columns.bytes())
    }
}
