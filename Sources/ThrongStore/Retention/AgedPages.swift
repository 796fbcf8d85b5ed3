/// Removes deleted rows from PostgreSQL's files: their bytes stay in a page of their table, and in the write-ahead log,
/// until others happen to overwrite them.
///
/// Works as a superuser, so on a private cluster alone.
package struct AgedPages: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the place of the last deletion in the ledger; 0 where there is none.
    package func lastDeletion() async throws -> Int64 {
        try await connection.run { session in
            try session.query("pages.last", "select coalesce(max(place), 0) from throng.deletion").integer(0, 0)
        }
    }

    /// Rewrites the tables that rows may have been deleted from, and releases the write-ahead log from before that.
    ///
    /// Locks each table while it is rewritten: those of released numbers, and the parts of counters that rows were
    /// deleted from.
    package func rewrite() async throws {
        try await connection.run { session in
            try session.query("pages.patience", "set lock_timeout = '10s'")
            for table in try session.run(Query.selectAgedPages()) {
                try session.query("pages.vacuum", "vacuum (full, analyze) \(table)")
            }
            // The planner's statistics of columns hold values, too: old ones until the next analysis.
            try session.query("pages.statistics", "vacuum (full) pg_catalog.pg_statistic")
            try LogSegments.letGo(session, isAlone: false)
        }
    }
}

/// The write-ahead log's files: each is 16 MiB, and keeps its content until that is overwritten.
enum LogSegments {
    /// The most files that are gone through: 16 GiB.
    private static let most = 1024

    /// Releases all files that were written before now, and those that were prepared for reuse with their old content.
    ///
    /// They are used up one by one; the server may prepare some more just after it has been told not to.
    ///
    /// - Parameter isAlone: true if no other session writes, so that no more than two files can be left.
    static func letGo(_ session: Session, isAlone: Bool) throws {
        // The file in use and the one before it are new once no file was ready three times in a row.
        var calm = 0
        for _ in 0..<most {
            try session.query("log.switch", "select pg_switch_wal()")
            try session.query("log.checkpoint", "checkpoint")
            let segments = try session.query(
                "log.segments",
                """
                select count(*), count(*) filter (where name > pg_walfile_name(pg_current_wal_lsn()))
                from pg_ls_waldir()
                where name ~ '^[0-9A-F]{24}$'
                """)
            calm = try segments.integer(0, 1) == 0 ? calm + 1 : 0
            if calm > 2, try !isAlone || segments.integer(0, 0) <= 2 { break }
        }
    }
}

extension Query { static func selectAgedPages() -> RowQuery<String> { RowQuery(aged_page_select_sql) } }
