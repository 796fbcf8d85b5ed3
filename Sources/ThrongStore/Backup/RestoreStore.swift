package import ThrongPlan
internal import ThrongSystem

/// Fills an empty database from a backup, all of it or nothing.
///
/// Works as the owner of the schema.
package struct RestoreStore: Sendable {
    private let connection: Connection

    /// Works over a connection that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// True if the database has nothing of Throng's, or only an empty schema.
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

    /// The facts that a restore needs besides rows.
    package struct Facts: Sendable {
        /// The last number that each sequence gave.
        package let sequences: [String: Int64]
        /// Published cells that are left out, by the day on which they were deleted.
        package let gone: [GoingCells]
        /// True if the daemons' journals are there still; else releases don't wait for their content.
        package let hasJournal: Bool
        /// The plans in force, as retention has them.
        package let plans: [Plan]
    }

    /// Fills the database in one transaction; its schema is that of the backup.
    ///
    /// - Parameter fill: gets the receiver of the rows, on the connection's thread, and may block it. An error that it
    ///   throws leaves the database as it was.
    /// - Returns: false, with nothing done, if the database is not empty any more.
    package func load(
        _ facts: Facts, _ fill: @escaping @Sendable (RestoreTarget) throws -> Void
    ) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                try session.run(Query.lockMigrations())
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

    /// Releases daemons' places, and sets which journals releases wait for.
    ///
    /// The processes that held the places are gone. If their journals are gone, too, releases don't wait for them:
    /// `settled` is then higher than any asking's number. A daemon that attaches again is asked anew. If journals are
    /// there, releases wait for all daemons that count: one that had stopped when the backup was made may have counted
    /// since.
    private static func settle(_ facts: Facts, _ session: Session) throws {
        try session.query("restore.holders", "update throng.watermark set holder = null, claim = null")
        guard !facts.hasJournal else {
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
        try session.query(
            "restore.stopped", "update throng.member_plan set stopped_at = now() where stopped_at is null")
    }

    /// Notes that age took the cells of releases whose cells are left out, as the original database did.
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

/// The receiver of the rows of a backup.
package final class RestoreTarget {
    private let session: Session
    private var tables: [String] = []

    fileprivate init(_ session: Session) { self.session = session }

    /// Fills a table.
    ///
    /// - Parameters:
    ///   - columns: the columns of the rows, in their order.
    ///   - rows: gets a function that takes whole rows, each with its number of columns in front.
    /// - Returns: the number of rows.
    package func fill(
        _ table: String, columns: [String], _ rows: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Int {
        // The triggers' effects are in the backup, too.
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

    /// Enables triggers again.
    fileprivate func finish() throws {
        for table in tables {
            try session.query("restore.triggers", "alter table throng.\"\(table)\" enable trigger user")
        }
    }
}
