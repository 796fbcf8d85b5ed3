package import ThrongIngest
package import ThrongPlan

/// The data that PostgreSQL holds of whole apps, and its deletion, as the owner of the schema.
package struct AppStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the apps that have data or were deleted, by name.
    package func apps() async throws -> [KnownApp] { try await connection.run(Query.selectApps()) }

    /// Returns the targets that reports of an app were or are to be delivered to, by target.
    package func deliveries(of app: AppName) async throws -> [AppDelivery] {
        try await connection.run(Query.selectAppDeliveries(app: app))
    }

    /// Returns the time since each daemon that ever attached to this database was last heard of.
    package func silences() async throws -> [UnsettledDaemon] { try await connection.run(Query.selectSilences()) }

    /// Returns the position up to which PostgreSQL has a daemon's journal; nil where it never saw the daemon.
    package func watermark(of daemon: DaemonID) async throws -> JournalPosition? {
        try await connection.run { try $0.first(Query.selectWatermark(daemon: daemon))?.position }
    }

    /// Deletes all data of an app, and notes it in the ledger of deletions; returns the rows deleted, by kind.
    ///
    /// - Parameter copies: the number of files of its reports that were deleted from folders before.
    package func delete(_ app: AppName, copies: Int) async throws -> [DeletedRows] {
        try await connection.run(Query.deleteApp(app: app, copies: copies))
    }

    /// Rewrites every table of the database, so that no page holds deleted data, and releases the write-ahead log from
    /// before that.
    ///
    /// Locks each table while it is rewritten, and takes as much disk as the largest one.
    package func scrub() async throws {
        try await connection.run { session in
            try session.query("app.vacuum", "vacuum (full, analyze)")
            // The planner's statistics of columns hold values, too.
            try session.query("app.statistics", "vacuum (full) pg_catalog.pg_statistic")
            // A recycled segment would keep its old content until that is overwritten.
            try session.query("app.wal_end", "alter system set wal_recycle = off")
            try session.query("app.reload", "select pg_reload_conf()")
            defer {
                // This setting makes PostgreSQL remove segments, not recycle them; it costs a little and harms nothing.
                _ = try? session.query("app.wal_again", "alter system reset wal_recycle")
                _ = try? session.query("app.reload", "select pg_reload_conf()")
            }
            try LogSegments.letGo(session, isAlone: true)
        }
    }
}

package struct KnownApp: Sendable, Hashable {
    package let name: AppName
    /// True if it has data.
    package let isKept: Bool
    /// The time it was deleted last; nil where it never was.
    package let deletedAt: UnixSeconds?
}

/// A target that one report of an app was or is to be delivered to.
package struct AppDelivery: Sendable, Hashable {
    /// `folder`, `put` or `post`, a space, and the address.
    package let target: String
    package let report: ReportName
    /// The period covered, as file names have it; nil in runs of earlier versions.
    package let label: String?
    /// True if another app has files of these names there.
    package let isShared: Bool

    /// The folder; nil if the target is on the network.
    package var folder: String? { target.hasPrefix("folder ") ? String(target.dropFirst(7)) : nil }
}

/// The number of rows of one kind that were deleted.
package struct DeletedRows: Sendable, Hashable {
    /// The kind, as in ``DeletionEntry/kind``.
    package let kind: String
    /// The number. Unit: cells, counters, files, hours, labels or records.
    package let rows: Int64
}

extension Query {
    /// Apps that have data, or were deleted.
    static func selectApps() -> RowQuery<KnownApp> {
        RowQuery(app_select_sql) { (name, isKept: Int, deletedAt) in
            KnownApp(name: name, isKept: isKept != 0, deletedAt: deletedAt)
        }
    }

    static func selectAppDeliveries(app: AppName) -> RowQuery<AppDelivery> {
        RowQuery(app_deliveries_sql, app) { (target, report, label, isShared: Int) in
            AppDelivery(target: target, report: report, label: label, isShared: isShared != 0)
        }
    }

    /// The time since each daemon was last heard of.
    static func selectSilences() -> RowQuery<UnsettledDaemon> {
        RowQuery(watermark_silences_sql) { daemon, unheard in
            UnsettledDaemon(daemon: daemon, silence: max(unheard, 0), unheard: max(unheard, 0))
        }
    }

    static func deleteApp(app: AppName, copies: Int) -> RowQuery<DeletedRows> {
        RowQuery(app_delete_sql, app, copies, row: DeletedRows.init)
    }
}
