package import ThrongIngest
package import ThrongPlan

/// Reads all of a database as it was at one moment, for a backup, as the owner of the schema.
package struct BackupStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Lends a snapshot of the database to `work`, which may block the connection's thread; daemons go on meanwhile.
    package func snapshot<Value: Sendable>(
        plans: [Plan], now: UnixSeconds, _ work: @escaping @Sendable (BackupSnapshot) throws -> Value
    ) async throws -> Value {
        try await connection.run { session in
            let isDistributed = try session.one(Query.selectCounterNodes()) > 0
            var attempt = 1
            while true {
                do {
                    return try session.transaction {
                        try session.query("transaction.snapshot", "set transaction isolation level repeatable read")
                        if isDistributed { try Self.hold(session) }
                        return try work(try BackupSnapshot(session, plans: plans, now: now))
                    }
                } catch let crossed as Crossed {
                    guard attempt < Self.attempts else { throw crossed.error }
                    attempt += 1
                }
            }
        }
    }

    /// The most attempts if flushes deadlock with it.
    private static let attempts = 20

    /// A deadlock with a flush, which PostgreSQL resolved by ending this transaction.
    private struct Crossed: Error { let error: PostgresError }

    /// Waits for flushes under way and holds off later ones: nodes have no common snapshot.
    private static func hold(_ session: Session) throws {
        do {
            // This lock is no reading, and the snapshot has whatever it waited for.
            try session.query("backup.lock", "lock table throng.open_period, throng.coverage in share mode")
            try session.run(Query.holdCounters())
        } catch let error as PostgresError where error.sqlState == .deadlockDetected { throw Crossed(error: error) }
    }
}

/// A database as it was at one moment.
package final class BackupSnapshot {
    private let session: Session
    private let rules: [BackupRule]

    fileprivate init(_ session: Session, plans: [Plan], now: UnixSeconds) throws {
        self.session = session
        let promises = try RetentionStore.promises(plans, session)
        let shortest = promises.map(\.shortest).min() ?? LayoutPromise.unsaid
        let all = BackupRule.all(now: now, countersKept: min(RetentionStore.countersKept, shortest))
        // A schema that was not migrated yet lacks the later ones.
        let standing = Set(try session.run(Query.selectStanding(names: all.map(\.table))))
        rules = all.filter { standing.contains($0.table) }
        try makeSteps(promises)
        try makeApps(promises, plans)
        try session.execute(script: Query.createGoing.sql, name: Query.createGoing.name)
    }

    /// The tables, in the order in which they can be filled.
    package var tables: [String] { rules.map(\.table) }

    package func columns(of table: String) throws -> [String] { try session.run(Query.selectColumns(table: table)) }

    /// Reads all rows of a table; hands on each row's app, the term it is kept for, and the row without these two.
    ///
    /// - Parameter row: its bytes are valid until it returns.
    package func rows(
        of table: String, columns: [String], _ row: (_ app: String, _ term: String, _ row: CopiedRow) throws -> Void
    ) throws {
        guard let rule = rules.first(where: { $0.table == table }) else { return }
        let wanted = columns.map { "t.\"\($0)\"" }.joined(separator: ", ")
        _ = try session.copyOut(
            "backup.\(table)",
            "copy (select \(rule.app), \(rule.term), \(wanted) from \(rule.from)) to stdout (format binary)"
        ) { bytes in
            var columns = CopiedRow(bytes)
            guard let app = columns.text(), let term = columns.text() else {
                throw PostgresError.unexpectedAnswer(query: "backup.\(table)")
            }
            try row(app, term, columns)
        }
    }

    /// Returns the positions up to which daemons' journals are in the counters.
    package func watermarks() throws -> [(daemon: DaemonID, position: JournalPosition)] {
        let rows = try session.query(
            "backup.watermarks", "select daemon::text, position from throng.watermark order by daemon")
        return try rows.read { (try $0.next(), try $0.next()) }
    }

    package func schema() throws -> Int {
        let rows = try session.query("backup.schema", "select max(version) from throng.migration")
        return Int(try rows.integer(0, 0))
    }

    /// Returns the last number that each sequence of the schema has given, by its name.
    package func sequences() throws -> [String: Int64] {
        let rows = try session.query(
            "backup.sequences",
            "select sequencename::text, coalesce(last_value, 1) from pg_sequences where schemaname = 'throng'")
        return Dictionary(uniqueKeysWithValues: try rows.read { (try $0.text(), try $0.integer()) })
    }

    /// Returns the number of published cells of each release that are deleted on each day.
    package func going() throws -> [GoingCells] { try session.run(Query.countGoing()) }

    /// Makes the tables of retention times, and fills that of steps: those that delete numbers of a layout, and at which
    /// age.
    private func makeSteps(_ promises: [LayoutPromise]) throws {
        try session.execute(script: Query.createBackupSteps.sql, name: Query.createBackupSteps.name)
        for promise in promises {
            for step in promise.steps {
                for part in step.action.parts(of: promise.dimensions) {
                    // A dimension that the layout does not have takes nothing.
                    let bit = part.dimension.flatMap { promise.dimensions.firstIndex(of: $0) }
                    if part.dimension != nil, bit == nil { continue }
                    try session.run(
                        Query.insertBackupStep(
                            metric: promise.layout, bit: bit, shorter: part.shorter, after: step.after,
                            began: promise.began))
                }
            }
        }
    }

    /// Fills the tables of retention times of data without an age of its own: of apps, of their reports, of learned
    /// values.
    private func makeApps(_ promises: [LayoutPromise], _ plans: [Plan]) throws {
        let byApp = Dictionary(grouping: promises, by: \.app)
        for (app, promises) in byApp {
            try session.query(
                "backup.app", "insert into pg_temp.backup_app values ($1, $2::bigint)",
                with: app, promises.map(\.shortest).min() ?? LayoutPromise.unsaid)
        }
        for plan in plans {
            for report in plan.reports {
                try session.query(
                    "backup.report", "insert into pg_temp.backup_report values ($1, $2, $3::bigint)",
                    with: plan.app.name, report.name, plan.seconds(keeping: report))
            }
        }
        for app in Set(byApp.keys).union(plans.map(\.app.name)) {
            for dimension in Set(try session.run(Query.selectLabels(app: app)).map(\.dimension)) {
                let longest = byApp[app]?.map(\.retention).max() ?? LayoutPromise.unsaid
                let kept = RetentionStore.seconds(
                    keepingLabelsOf: dimension, plans.first { $0.app.name == app }, longest: longest)
                try session.query(
                    "backup.label", "insert into pg_temp.backup_label values ($1, $2, $3::bigint)",
                    with: app, dimension, kept)
            }
        }
    }
}

/// The number of published cells of a release that are deleted on one day.
package struct GoingCells: Sendable, Hashable, Codable {
    package let app: String
    /// The schema's number of the release.
    package let release: Int64
    /// The day. Unit: days since 1970.
    package let day: Int64
    package let cells: Int64
}

extension Query {
    static func selectColumns(table: String) -> RowQuery<String> { RowQuery(backup_column_select_sql, table) }

    /// The temporary tables of the days on which published numbers are deleted; several statements.
    static let createGoing = Statement(backup_going_create_sql)

    static func countGoing() -> RowQuery<GoingCells> {
        RowQuery(backup_going_count_sql) { GoingCells(app: $0, release: $1, day: $2, cells: $3) }
    }

    /// The temporary tables of retention times; several statements.
    static let createBackupSteps = Statement(backup_step_create_sql)

    static func insertBackupStep(
        metric: Int64, bit: Int?, shorter: PeriodKind?, after: Duration, began: UnixSeconds?
    ) -> Statement { Statement(backup_step_insert_sql, metric, bit, shorter, after, began) }
}
