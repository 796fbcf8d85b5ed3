internal import ThrongPlan

/// Reads the ledger of deletions, and notes deletions outside of PostgreSQL.
///
/// Works as `throng_reporter`.
package struct DeletionStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the whole ledger, oldest first.
    package func entries() async throws -> [DeletionEntry] {
        try await connection.run { try $0.run(Query.selectDeletions()) }
    }

    /// Notes that keys of an app's part of backups were deleted, unless none were.
    ///
    /// - Parameters:
    ///   - app: the app; * for data that several apps share.
    ///   - subject: the data that the keys opened.
    ///   - term: the promise that they were deleted by.
    package func note(backupKeys: Int, app: String, subject: String, term: String) async throws {
        let entry = Query.noteDeletion(app: app, kind: "backups", subject: subject, term: term, rows: Int64(backupKeys))
        try await connection.run { _ = try $0.run(entry) }
    }

    /// Returns those of these tables of schema throng that are there.
    package func standing(_ tables: [String]) async throws -> Set<String> {
        let asked = Query.selectStanding(names: tables)
        return try await connection.run { Set(try $0.run(asked)) }
    }
}

extension Query {
    static func selectDeletions() -> RowQuery<DeletionEntry> {
        RowQuery("deletion.select", PackageResources.deletion_select_sql) { columns in
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
}
