package import ThrongPlan

/// Of which app a row of a table is, and until when the house keeps it: with that goes the key of it in backups.
///
/// SQL over the row `t`, the temporary tables of ``BackupSnapshot``, and what ``from`` joins besides.
package struct BackupRule: Sendable, Hashable {
    /// A table of schema throng.
    package let table: String
    /// What is read.
    let from: String
    /// Of which app; * where it is of several apps' together.
    let app: String
    /// `always`, `day <days since 1970>` or `table <name>`.
    let term: String

    private init(_ table: String, joining join: String = "", app: String, term: String) {
        self.table = table
        from = "throng.\(table) as t\(join.isEmpty ? "" : " " + join)"
        self.app = app
        self.term = term
    }

    /// Not copied: made by the migrator, or worth nothing later.
    package static let migrator: Set<String> = ["migration", "member_secret", "lease", "portal_session"]

    /// A rule for each table of the schema, in an order in which they can be filled: what others name comes before them.
    ///
    /// - Parameters:
    ///   - now: what the house keeps for as long as something else is there, it keeps until tomorrow at least.
    ///   - countersKept: how long raw counters outlive their release at most. Unit: seconds.
    package static func all(now: UnixSeconds, countersKept: Int64) -> [BackupRule] {
        let tomorrow = "to_timestamp(\(now.value + 86_400))"
        return [
            house("member"), house("epoch"), house("watermark"), house("window_closing"), house("clock"),
            house("deletion"),
            BackupRule(
                "partition", app: "'*'",
                term: "'table ' || throng.partition_name("
                    + "case when t.has_counters then 'counter' else 'distinct_count' end, t.period_kind, t.range_start)"
            ),
            byName("metric_layout"), byLayout("layout_terms"), byLayout("layout_promise"), byLayout("closed_period"),
            byLayout("impossible_cell"), byName("plan_in_force"), byName("member_plan"), byName("release"),
            BackupRule("decay", joining: release, app: "r.app", term: always),
            BackupRule(
                "open_period", joining: layout, app: "l.app",
                term: standing(kind: "l.period_kind", of: "t")),
            BackupRule(
                "open_rollup", joining: layout, app: "l.app",
                term: standing(kind: "l.period_kind", of: "t", withAll: true)),
            BackupRule(
                "kept_period", joining: layout, app: "l.app",
                term: standing(kind: "t.period_kind", of: "t")),
            BackupRule(
                "proved_first", joining: layout, app: "l.app",
                // It does not say when its period ends, and none is longer than a month.
                term: standing(kind: "l.period_kind", of: "t", end: "t.period_start + interval '31 days'")),
            BackupRule(
                "proved_count", joining: layout, app: "l.app",
                term: standing(kind: "l.period_kind", of: "t", withAll: true)),
            BackupRule("counter", joining: layout, app: "l.app", term: itsTable),
            BackupRule("distinct_count", joining: layout, app: "l.app", term: itsTable),
            BackupRule(
                "top_contribution", joining: layout, app: "l.app",
                term: "'table ' || throng.partition_name("
                    + "'distinct_count', l.period_kind, throng.partition_start(l.period_kind, t.period_start))"),
            BackupRule("released_cell", joining: "\(release) \(going)", app: "r.app", term: goingDay),
            BackupRule(
                "withheld_cell", joining: release, app: "r.app",
                term: day("r.period_end + interval '\(countersKept) seconds'")),
            BackupRule("shown_margin", joining: "\(release) \(going)", app: "r.app", term: goingDay),
            BackupRule(
                "shown_label",
                joining: "\(release) left join pg_temp.backup_label_going as g using (release_id, place)",
                app: "r.app", term: goingDay),
            byName("report_run"),
            BackupRule(
                "run_file",
                joining: """
                    join throng.report_run as r using (app, report, period_kind, period_start)
                    left join pg_temp.backup_app as a using (app)
                    left join pg_temp.backup_report as k using (app, report)
                    """,
                app: "t.app",
                term: day(
                    """
                    greatest(
                        least(
                            r.files_until,
                            r.period_end + make_interval(secs => k.kept),
                            case
                                when r.files_until is null
                                    then r.period_end + make_interval(secs => coalesce(a.shortest, \(LayoutPromise.unsaid)))
                            end
                        ),
                        case when r.finished_at is null then \(tomorrow) end
                    )
                    """)),
            byName("delivery"), byName("delivered_file"),
            BackupRule(
                "coverage", joining: "left join pg_temp.backup_app as a using (app)", app: "t.app",
                term: day(
                    "t.hour + make_interval(secs => coalesce(a.shortest, \(LayoutPromise.unsaid)) + 31 * 86400)")),
            BackupRule(
                "revealed_label", joining: "left join pg_temp.backup_label as a using (app, dimension)", app: "t.app",
                term: day(
                    """
                    greatest(
                        \(tomorrow),
                        coalesce(
                            t.retired_at,
                            greatest(t.learned_at, t.published_at)
                                + make_interval(secs => coalesce(a.kept, \(LayoutPromise.unsaid)))
                        ) + interval '\(RetentionStore.labelRest) seconds'
                    )
                    """)),
            BackupRule("access_token", app: "coalesce(t.app, '*')", term: always),
        ]
    }

    private static let always = "'always'"
    private static let layout = "join throng.metric_layout as l using (metric_id)"
    private static let release = "join throng.release as r using (release_id)"
    private static let going = "left join pg_temp.backup_going as g using (release_id, margin)"
    /// Where nobody has promised anything, as retention has it.
    private static let goingDay =
        "'day ' || coalesce(g.day, (extract(epoch from r.period_end)::bigint + \(LayoutPromise.unsaid) + 86399) / 86400)"
    /// Without `throng.` in front.
    private static let itsTable = "'table ' || substr(t.tableoid::regclass::text, 8)"

    private static func house(_ table: String) -> BackupRule { BackupRule(table, app: "'*'", term: always) }

    private static func byName(_ table: String) -> BackupRule { BackupRule(table, app: "t.app", term: always) }

    private static func byLayout(_ table: String) -> BackupRule {
        BackupRule(table, joining: layout, app: "l.app", term: always)
    }

    /// The day whose round of retention takes what is kept until an instant: rounds are soon after midnight.
    private static func day(_ instant: String) -> String {
        "'day ' || ((ceil(extract(epoch from (\(instant))))::bigint + 86399) / 86400)"
    }

    /// With the table that has a period's distinct counts, which stays until the period is released and for a while longer; of a
    /// period that takes several, with the first that goes. A period that nothing was counted in has none.
    private static func standing(kind: String, of row: String, withAll: Bool = false, end: String? = nil) -> String {
        let end = end ?? "\(row).period_end"
        return """
            coalesce(
                (
                    select 'table ' || throng.partition_name('distinct_count', p.period_kind, p.range_start)
                    from throng.partition as p
                    where p.period_kind = \(kind)
                        and p.has_distinct
                        and p.range_end > \(row).period_start
                        and p.range_start \(withAll ? "< \(end)" : "<= \(row).period_start")
                    order by p.range_start
                    limit 1
                ),
                \(day("\(end) + interval '\(LayoutPromise.unsaid) seconds'"))
            )
            """
    }
}
