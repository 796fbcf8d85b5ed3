internal import ThrongPlan

/// Reads the ledger of deletions, and notes deletions outside of PostgreSQL, as `throng_reporter`.
package struct DeletionStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the whole ledger, oldest first.
    package func entries() async throws -> [DeletionEntry] {
        try await connection.run(Query.selectDeletions())
    }

    /// Notes that keys of an app's part of backups were deleted, unless none were; * is the app of shared data.
    package func note(backupKeys: Int, app: String, subject: String, term: String) async throws {
        try await connection.run(
            Query.noteDeletion(app: app, kind: "backups", subject: subject, term: term, rows: backupKeys))
    }

    /// Returns those of these tables of schema throng that are there.
    package func standing(_ tables: [String]) async throws -> Set<String> {
        Set(try await connection.run(Query.selectStanding(names: tables)))
    }
}

extension Query {
    static func selectDeletions() -> RowQuery<DeletionEntry> {
        RowQuery("deletion.select", PackageResources.deletion_select_sql, row: DeletionEntry.init)
    }
}
