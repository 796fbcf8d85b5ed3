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
    private struct Crossed: Error {
        let error: PostgresError
    }

    /// Waits for flushes under way and holds off later ones: nodes have no common snapshot.
    private static func hold(_ session: Session) throws {
        do {
            // This lock is no reading, and the snapshot has whatever it waited for.
            try session.query("backup.lock", "lock table throng.open_period, throng.coverage in share mode")
            try session.run(Query.holdCounters())
        } catch let error as PostgresError where error.sqlState == .deadlockDetected {
            throw Crossed(error: error)
        }
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
        try makeGoing()
    }

    /// The tables, in the order in which they can be filled.
    package var tables: [String] { rules.map(\.table) }

    package func columns(of table: String) throws -> [String] {
        let rows = try session.query(
            "backup.columns",
            """
            select attname::text
            from pg_attribute
            where attrelid = ('throng.' || quote_ident($1))::regclass
                and attnum > 0
                and not attisdropped
            order by attnum
            """, [.text(table)])
        return try rows.read { try $0.text() }
    }

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
    package func going() throws -> [GoingCells] {
        let rows = try session.query(
            "backup.going",
            """
            select app, release_id, day, count(*)
            from throng.released_cell
            join pg_temp.backup_going using (release_id, margin)
            join throng.release using (release_id)
            group by app, release_id, day
            order by release_id, day
            """)
        return try rows.read {
            GoingCells(app: try $0.next(), release: try $0.next(), day: try $0.next(), cells: try $0.next())
        }
    }

    /// Makes the table of retention steps: those that delete numbers of a layout, and at which age.
    private func makeSteps(_ promises: [LayoutPromise]) throws {
        try session.query(
            "backup.steps",
            """
            create temporary table backup_step (
                metric_id integer, bit integer, shorter smallint, age bigint, began timestamptz
            ) on commit drop
            """)
        for promise in promises {
            for step in promise.steps {
                for part in step.action.parts(of: promise.dimensions) {
                    // A dimension that the layout does not have takes nothing.
                    let bit = part.dimension.flatMap { promise.dimensions.firstIndex(of: $0) }
                    if part.dimension != nil, bit == nil { continue }
                    try session.query(
                        "backup.step",
                        """
                        insert into pg_temp.backup_step
                        values ($1::integer, $2::integer, $3::smallint, $4::bigint, to_timestamp($5::bigint))
                        """,
                        with: promise.layout, bit, part.shorter, step.after, promise.began)
                }
            }
        }
    }

    /// Makes the tables of retention times of data without an age of its own: of apps, of their reports, of learned
    /// values.
    private func makeApps(_ promises: [LayoutPromise], _ plans: [Plan]) throws {
        for table in [
            "backup_app (app text, shortest bigint)", "backup_report (app text, report text, kept bigint)",
            "backup_label (app text, dimension text, kept bigint)",
        ] {
            try session.query("backup.apps", "create temporary table \(table) on commit drop")
        }
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

    /// Makes the tables of the days on which published numbers are deleted: the first on which any step deletes them.
    private func makeGoing() throws {
        func make(_ table: String, of shapes: String, by column: String, takes: String) throws {
            try session.query(
                "backup.going",
                """
                create temporary table \(table) on commit drop as
                select shape.release_id,
                    shape.\(column),
                    (min(extract(epoch from r.period_end)::bigint + step.age) + 86399) / 86400 as day
                from (\(shapes)) as shape
                join throng.release as r using (release_id)
                join pg_temp.backup_step as step on step.metric_id = r.metric_id
                    and (step.bit is null or \(takes))
                    and (step.shorter is null or r.period_kind < step.shorter)
                    and r.period_start < coalesce(step.began, 'infinity')
                group by shape.release_id, shape.\(column)
                """)
            try session.query("backup.going", "analyze pg_temp.\(table)")
        }
        try make(
            "backup_going",
            of: """
                select release_id, margin
                from throng.released_cell
                union
                select release_id, margin
                from throng.shown_margin
                """,
            by: "margin", takes: "(shape.margin >> step.bit) & 1 = 1")
        try make(
            "backup_label_going", of: "select distinct release_id, place from throng.shown_label", by: "place",
            takes: "shape.place = step.bit")
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
