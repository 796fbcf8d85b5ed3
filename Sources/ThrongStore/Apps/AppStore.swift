package import ThrongCounting
package import ThrongPlan
package import ThrongPostgres

/// What PostgreSQL holds of whole apps, and how it goes.
///
/// Works as the owner of the schema.
package struct AppStore: Sendable {
    private let connection: Connection

    /// Works over a connection that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// The apps of which anything is kept or was deleted, by name.
    package func apps() async throws -> [KnownApp] { try await connection.run { try $0.run(SelectApps()) } }

    /// Where reports of an app went, or were to go; by target.
    package func deliveries(of app: AppName) async throws -> [AppDelivery] {
        try await connection.run { try $0.run(SelectAppDeliveries(app: app)) }
    }

    /// For how long each daemon that ever attached to this database was not heard of.
    package func silences() async throws -> [UnsettledDaemon] {
        try await connection.run { try $0.run(SelectSilences()) }
    }

    /// Up to where PostgreSQL has what a daemon journalled; nil where it never saw the daemon.
    package func watermark(of daemon: DaemonID) async throws -> JournalPosition? {
        try await connection.run { try $0.first(SelectWatermark(daemon: daemon))?.position }
    }

    /// Deletes all that is kept of an app, and notes it in the ledger of deletions.
    ///
    /// - Parameter copies: files of its reports that were taken out of folders before.
    /// - Returns: how many rows of each kind went.
    /// - Throws: ``PostgresError`` with SQL state 42501 where the login does not own the schema.
    package func delete(_ app: AppName, copies: Int) async throws -> [DeletedRows] {
        try await connection.run { try $0.run(DeleteApp(app: app, copies: Int64(copies))) }
    }

    /// Writes every table of the database anew, so that no page holds what was deleted, and lets go of the write-ahead log
    /// from before that.
    ///
    /// Locks each table while it is written, and takes as much disk as the largest one.
    /// - Throws: ``PostgresError`` where the login is no superuser.
    package func scrub() async throws {
        try await connection.run { session in
            try session.query("app.vacuum", "vacuum (full, analyze)")
            // What the planner knew of columns were values, too.
            try session.query("app.statistics", "vacuum (full) pg_catalog.pg_statistic")
            // A segment that is used again would keep what it held until that is written over.
            try session.query("app.wal_end", "alter system set wal_recycle = off")
            try session.query("app.reload", "select pg_reload_conf()")
            defer {
                // Without it PostgreSQL removes segments instead of using them again, which costs a little and harms nothing.
                _ = try? session.query("app.wal_again", "alter system reset wal_recycle")
                _ = try? session.query("app.reload", "select pg_reload_conf()")
            }
            try LogSegments.letGo(session, isAlone: true)
        }
    }
}

/// An app that a database knows.
package struct KnownApp: Sendable, Hashable {
    /// Its name.
    package let name: AppName
    /// Whether anything of it is kept.
    package let isKept: Bool
    /// When it was deleted last; nil where it never was.
    package let deletedAt: UnixSeconds?
}

/// Where one report of an app went, or was to go.
package struct AppDelivery: Sendable, Hashable {
    /// `folder`, `put` or `post`, a space, and where.
    package let target: String
    /// The report.
    package let report: ReportName
    /// What it covers, as file names have it; nil in runs of earlier versions.
    package let label: String?
    /// Whether another app has files of these names there.
    package let isShared: Bool

    /// The folder; nil where it goes over the network.
    package var folder: String? { target.hasPrefix("folder ") ? String(target.dropFirst(7)) : nil }
}

/// How much of a kind went.
package struct DeletedRows: Sendable, Hashable {
    /// As in ``DeletionEntry/kind``.
    package let kind: String
    /// Unit: cells, counters, files, hours, labels or records.
    package let rows: Int64
}
