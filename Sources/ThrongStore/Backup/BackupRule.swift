package import ThrongPlan

/// The app of a table's rows, and the time until which they are kept; their key in backups is destroyed then.
///
/// SQL over the row `t`, the temporary tables of ``BackupSnapshot``, and what ``from`` joins besides.
package struct BackupRule: Sendable, Hashable {
    /// A table of schema throng.
    package let table: String
    /// The `from` clause: the table and its joins.
    let from: String
    /// The app, as SQL; * for rows that several apps share.
    let app: String
    /// The term, as SQL; its value is `always`, `day <days since 1970>` or `table <name>`.
    let term: String

    private init(_ table: String, joining join: String = "", app: String, term: String) {
        self.table = table
        from = "throng.\(table) as t\(join.isEmpty ? "" : " " + join)"
        (self.app, self.term) = (app, term)
    }

    /// Not copied: made by the migrator, or worth nothing later.
    package static let migrator: Set<String> = [
        "migration", "member_secret", "lease", "portal_session", "report_reading",
    ]

    /// The rules for all tables of the schema, in an order in which they can be filled: referenced tables first.
    ///
    /// - Parameters:
    ///   - now: rows that are kept as long as others are there are kept until tomorrow at least.
    ///   - countersKept: the longest time that raw counters outlive their release. Unit: seconds.
    package static func all(now: UnixSeconds, countersKept: Int64) -> [BackupRule] {
        let tomorrow = "to_timestamp(\(now.value + 86_400))"
        return daemonsAndPlans + periodsAndCounters + released(countersKept: countersKept)
            + reports(tomorrow: tomorrow) + labelsAndAccess(tomorrow: tomorrow)
    }

    private static var daemonsAndPlans: [BackupRule] {
        [
            house("member"), house("epoch"), house("watermark"), house("window_closing"), house("clock"),
            house("deletion"),
            BackupRule(
                "partition", app: "'*'",
                term: "'table ' || throng.partition_name("
                    + "case when t.has_counters then 'counter' else 'distinct_count' end, t.period_kind, t.range_start)"
            ), byName("metric_layout"), byLayout("layout_terms"), byLayout("layout_promise"), byLayout("closed_period"),
            byLayout("impossible_cell"), byLayout("grouping_view"), byName("plan_in_force"), byName("member_plan"),
            byName("release"), BackupRule("decay", joining: release, app: "r.app", term: always),
        ]
    }

    private static var periodsAndCounters: [BackupRule] {
        [
            BackupRule("open_period", joining: layout, app: "l.app", term: standing(kind: "l.period_kind", of: "t")),
            BackupRule(
                "open_rollup", joining: layout, app: "l.app",
                term: standing(kind: "l.period_kind", of: "t", withAll: true)),
            BackupRule(
                "proved_first", joining: layout, app: "l.app",
                // The table does not have the period's end; no period is longer than a month.
                term: standing(kind: "l.period_kind", of: "t", end: "t.period_start + interval '31 days'")),
            BackupRule("counter", joining: layout, app: "l.app", term: itsTable),
            BackupRule("distinct_count", joining: layout, app: "l.app", term: itsTable),
        ]
    }

    private static func released(countersKept: Int64) -> [BackupRule] {
        [
            BackupRule("released_cell", joining: "\(release) \(going)", app: "r.app", term: goingDay),
            BackupRule(
                "withheld_cell", joining: release, app: "r.app",
                term: day("r.period_end + interval '\(countersKept) seconds'")),
            BackupRule("shown_margin", joining: "\(release) \(going)", app: "r.app", term: goingDay),
            BackupRule(
                "shown_label",
                joining: "\(release) left join pg_temp.backup_label_going as g using (release_id, place)",
                app: "r.app", term: goingDay),
        ]
    }

    private static func reports(tomorrow: String) -> [BackupRule] {
        [
            byName("report_run"),
            BackupRule(
                "run_file",
                joining: """
                    join throng.report_run as r using (app, report, period_kind, period_start)
                    left join pg_temp.backup_app as a using (app)
                    left join pg_temp.backup_report as k using (app, report)
                    """, app: "t.app",
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
                    """)), byName("delivery"), byName("delivered_file"),
        ]
    }

    private static func labelsAndAccess(tomorrow: String) -> [BackupRule] {
        [
            BackupRule(
                "coverage", joining: "left join pg_temp.backup_app as a using (app)", app: "t.app",
                term: day("t.hour + make_interval(secs => coalesce(a.shortest, \(LayoutPromise.unsaid)) + 31 * 86400)")),
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
                    """)), BackupRule("access_token", app: "coalesce(t.app, '*')", term: always),
            BackupRule(
                "asked_number", app: "t.app",
                term: day("least(t.asked_at + interval '180 days', t.declined_at + interval '30 days')")),
        ]
    }

    private static let always = "'always'"
    private static let layout = "join throng.metric_layout as l using (metric_id)"
    private static let release = "join throng.release as r using (release_id)"
    private static let going = "left join pg_temp.backup_going as g using (release_id, margin)"
    /// The term of published numbers: the day they are deleted. Without a promise it is retention's default.
    private static let goingDay =
        "'day ' || coalesce(g.day, (extract(epoch from r.period_end)::bigint + \(LayoutPromise.unsaid) + 86399) / 86400)"
    /// The table's own partition, without `throng.` in front.
    private static let itsTable = "'table ' || substr(t.tableoid::regclass::text, 8)"

    private static func house(_ table: String) -> BackupRule { BackupRule(table, app: "'*'", term: always) }

    private static func byName(_ table: String) -> BackupRule { BackupRule(table, app: "t.app", term: always) }

    private static func byLayout(_ table: String) -> BackupRule {
        BackupRule(table, joining: layout, app: "l.app", term: always)
    }

    /// Returns the day of the round of retention that deletes what is kept until an instant: rounds are soon after
    /// midnight.
    private static func day(_ instant: String) -> String {
        "'day ' || ((ceil(extract(epoch from (\(instant))))::bigint + 86399) / 86400)"
    }

    /// Returns the term of rows that are kept as long as the table with their period's distinct counts.
    ///
    /// That table stays until the period is released and for a while longer. If a period has several tables, it is the
    /// first that is dropped. A period without counts has none.
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
