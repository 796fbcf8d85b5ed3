package import ThrongPostgres

/// Takes what was deleted out of PostgreSQL's files: where a row went, its bytes stay in a page of its table, and in the
/// write-ahead log, until others happen to be written over them.
///
/// Works as a superuser, so on a private cluster alone.
package struct AgedPages: Sendable {
    private let connection: Connection

    /// Works over a connection of its own.
    package init(_ connection: Connection) { self.connection = connection }

    /// The place of the last deletion that was written down; 0 where nothing was.
    package func lastDeletion() async throws -> Int64 {
        try await connection.run { session in
            try session.query("pages.last", "select coalesce(max(place), 0) from throng.deletion").integer(0, 0)
        }
    }

    /// Writes the tables anew of which rows may have gone, and lets go of the write-ahead log from before that.
    ///
    /// Locks each table while it is written: those of numbers that were released, and of counters the parts from which rows went.
    /// - Throws: ``PostgresError`` where somebody else holds a table for longer than some seconds; those before it are new.
    package func rewrite() async throws {
        try await connection.run { session in
            try session.query("pages.patience", "set lock_timeout = '10s'")
            let tables = try session.query(
                "pages.tables",
                """
                select format('%I.%I', s.schemaname, s.relname)
                from pg_stat_user_tables as s
                join pg_class as c on c.oid = s.relid
                where s.schemaname = 'throng'
                    and (not c.relispartition or s.n_tup_del > 0)
                    and pg_table_size(c.oid) > 0
                order by pg_table_size(c.oid), 1
                """)
            for row in 0..<tables.count {
                try session.query("pages.vacuum", "vacuum (full, analyze) \(try tables.text(row, 0))")
            }
            // What the planner knows of columns are values, too: those of before, until it looks again and forgets them.
            try session.query("pages.statistics", "vacuum (full) pg_catalog.pg_statistic")
            try LogSegments.letGo(session, isAlone: false)
        }
    }
}
