internal import ThrongFaults
package import ThrongPlan
package import ThrongPostgres

/// Fills an empty database from a backup, all of it or nothing.
///
/// Works as the owner of the schema.
package struct RestoreStore: Sendable {
    private let connection: Connection

    /// Works over a connection that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Whether the database holds nothing of Throng's but, at most, an empty schema.
    package func isEmpty() async throws -> Bool { try await connection.run { try Self.isEmpty($0) } }

    private static func isEmpty(_ session: Session) throws -> Bool {
        for table in ["metric_layout", "watermark", "deletion", "access_token", "clock"] {
            let found = try session.query(
                "restore.find", "select to_regclass('throng.' || $1) is not null", [.text(table)])
            guard try found.flag(0, 0) else { continue }
            if try session.query("restore.count", "select from throng.\(table) limit 1").count > 0 { return false }
        }
        return true
    }

    /// What a restore has to be told besides rows.
    package struct Facts: Sendable {
        /// The last number that each sequence gave.
        package let sequences: [String: Int64]
        /// Published cells that are left out, by the day on which they went.
        package let gone: [GoingCells]
        /// Whether the journals of daemons go on; else nobody waits for what they acknowledged besides.
        package let hasJournal: Bool
        /// The plans in force, as retention has them.
        package let plans: [Plan]

        /// Puts them together.
        package init(sequences: [String: Int64], gone: [GoingCells], hasJournal: Bool, plans: [Plan]) {
            self.sequences = sequences
            self.gone = gone
            self.hasJournal = hasJournal
            self.plans = plans
        }
    }

    /// Fills the database, whose schema is that of the backup, in one transaction.
    ///
    /// - Parameter fill: gets what takes the rows, on the connection's thread, and may block it. What it throws leaves the
    ///   database as it was.
    /// - Returns: false, and nothing is done, where the database is not empty any more.
    package func load(
        _ facts: Facts, _ fill: @escaping @Sendable (RestoreTarget) throws -> Void
    ) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                try session.run(LockMigrations())
                guard try Self.isEmpty(session) else { return false }
                let target = RestoreTarget(session)
                try fill(target)
                try target.finish()
                for (name, last) in facts.sequences.sorted(by: { $0.key < $1.key }) {
                    try session.query(
                        "restore.sequence", "select setval(('throng.' || quote_ident($1))::regclass, $2::bigint)",
                        [.text(name), .integer(last)])
                }
                try Self.settle(facts, session)
                try session.query(
                    "restore.views",
                    "select throng.publish_view(metric_id, view_name) from throng.metric_layout where view_name is not null"
                )
                try Self.noteDecay(facts, session)
                return true
            }
        }
    }

    /// The processes that held the places of daemons are gone. Where their journals are, too, releases don't wait for what is
    /// in them: an asking of this number never comes. Who attaches again is asked anew. Where journals are there, releases wait for
    /// all that count: one that had stopped when the backup was made has counted since.
    private static func settle(_ facts: Facts, _ session: Session) throws {
        // A schema that was not migrated yet lacks some.
        func exists(_ table: String) throws -> Bool {
            try session.query(
                "restore.find", "select from pg_tables where schemaname = 'throng' and tablename = $1", [.text(table)]
            ).count > 0
        }
        try session.query("restore.holders", "update throng.watermark set holder = null, claim = null")
        guard !facts.hasJournal else {
            guard try exists("epoch") else { return }
            try session.query(
                "restore.asked",
                """
                update throng.watermark set settled = 0 where fence < \(Int64.max) and shard in (
                    select unnest(owners) from (
                        select owners from throng.epoch where state = 'in force' order by epoch desc limit 1) as last)
                """)
            return
        }
        try session.query("restore.settled", "update throng.watermark set settled = \(Int64.max)")
        guard try exists("member_plan") else { return }
        try session.query(
            "restore.stopped", "update throng.member_plan set stopped_at = now() where stopped_at is null")
    }

    /// Of releases whose cells are left out it is written down that age took them, as it was in the house.
    private static func noteDecay(_ facts: Facts, _ session: Session) throws {
        guard !facts.gone.isEmpty else { return }
        try session.query(
            "restore.gone",
            "create temporary table restore_gone (release_id bigint, day bigint, cells bigint) on commit drop")
        for gone in facts.gone {
            try session.query(
                "restore.gone", "insert into pg_temp.restore_gone values ($1::bigint, $2::bigint, $3::bigint)",
                [.integer(gone.release), .integer(gone.day), .integer(gone.cells)])
        }
        try session.query(
            "restore.last",
            """
            create temporary table restore_last on commit drop as
            select app, max(day) as day
            from pg_temp.restore_gone
            join throng.release using (release_id)
            group by app
            """)
        for promise in try RetentionStore.promises(facts.plans, session) {
            for step in promise.steps {
                for part in step.action.parts(of: promise.dimensions) {
                    try session.query(
                        "restore.decay",
                        """
                        with due as (
                            select release_id,
                                (extract(epoch from period_end)::bigint + $3::bigint + 86399) / 86400 as day
                            from throng.release as r
                            where metric_id = $1::integer
                                and ($4::smallint is null or period_kind < $4::smallint)
                                and period_start < coalesce(to_timestamp($5::bigint), 'infinity')
                                and not exists (
                                    select from throng.decay as d
                                    where d.release_id = r.release_id
                                        and d.dropped in ($2, '*')
                                )
                        ), taken as (
                            delete from pg_temp.restore_gone as gone
                            using due
                            where gone.release_id = due.release_id
                                and gone.day = due.day
                            returning gone.release_id, gone.cells
                        )
                        insert into throng.decay (release_id, dropped, cells)
                        select due.release_id, coalesce($2, '*'), coalesce(sum(taken.cells), 0)
                        from due
                        left join taken using (release_id)
                        where due.day <= (select last.day from pg_temp.restore_last as last where last.app = $6)
                        group by due.release_id
                        """,
                        [
                            .integer(promise.layout), .text(orNull: part.dimension?.text),
                            .integer(step.after.components.seconds),
                            part.shorter.map { Int64($0.code).parameter } ?? .null,
                            promise.until.map { ($0 + LayoutPromise.handover).parameter } ?? .null,
                            .text(promise.app.text),
                        ])
                }
            }
        }
    }
}

/// What takes the rows of a backup.
package final class RestoreTarget {
    private let session: Session
    private var tables: [String] = []

    fileprivate init(_ session: Session) { self.session = session }

    /// Fills a table.
    ///
    /// - Parameters:
    ///   - columns: those that rows have, in their order.
    ///   - rows: gets what takes whole rows, each with its number of columns in front.
    /// - Returns: how many rows there are.
    package func fill(
        _ table: String, columns: [String], _ rows: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Int {
        // What triggers would make of new rows is in the backup, too.
        try session.query("restore.triggers", "alter table throng.\"\(table)\" disable trigger user")
        tables.append(table)
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let count = try session.copyIn(
            "restore.\(table)", "copy throng.\"\(table)\" (\(names)) from stdin (format binary)"
        ) { writer in try rows { try writer.rows($0) } }
        FaultPoint.reached("restore_table")
        if table == "partition" {
            try session.query(
                "restore.partitions",
                """
                select throng.ensure_partitions(period_kind, array_agg(range_start))
                from throng.partition
                group by period_kind
                """
            )
        }
        return count
    }

    /// Puts triggers in force again.
    fileprivate func finish() throws {
        for table in tables {
            try session.query("restore.triggers", "alter table throng.\"\(table)\" enable trigger user")
        }
    }
}
