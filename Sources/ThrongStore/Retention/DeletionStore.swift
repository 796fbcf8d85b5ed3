internal import ThrongPlan
package import ThrongPostgres

/// Reads what age took, and writes down what it took outside of PostgreSQL.
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

    /// Writes down that keys of an app's part of backups went, unless none did.
    ///
    /// - Parameters:
    ///   - app: * for what is of several apps' together.
    ///   - subject: what they opened.
    ///   - term: by which promise.
    package func note(backupKeys: Int, app: String, subject: String, term: String) async throws {
        let entry = NoteDeletion(app: app, kind: "backups", subject: subject, term: term, rows: Int64(backupKeys))
        try await connection.run { _ = try $0.run(entry) }
    }

    /// Which of these tables of schema throng are there.
    package func standing(_ tables: [String]) async throws -> Set<String> {
        let asked = SelectStanding(names: tables)
        return try await connection.run { Set(try $0.run(asked)) }
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
