internal import ThrongPlan

extension Query {
    static func dropReleased(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, before: UnixSeconds, began: UnixSeconds?,
        term: String
    ) -> RowQuery<Int64> {
        RowQuery(
            "released_cell.drop", PackageResources.released_cell_drop_sql,
            metric, dimension, shorter, before, began, term)
    }

    static func selectDue(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, began: UnixSeconds?
    ) -> RowQuery<(end: UnixSeconds?, releases: Int64)> {
        RowQuery(
            "release.select_due", PackageResources.release_select_due_sql, metric, dimension, shorter, began
        ) { ($0, $1) }
    }

    static func selectOldest(app: AppName) -> RowQuery<(metric: MetricName, end: UnixSeconds, releases: Int64)> {
        RowQuery("release.select_oldest", PackageResources.release_select_oldest_sql, app) { ($0, $1, $2) }
    }

    /// Gives up open periods that nothing has released.
    static func expireOpen(metric: Int64, before: UnixSeconds, began: UnixSeconds?) -> Statement {
        Statement("open_period.expire", PackageResources.open_period_expire_sql, metric, before, began)
    }

    static func dropPartitions(
        countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds
    ) -> RowQuery<String> {
        RowQuery(
            "partition.drop", PackageResources.partition_drop_sql, countersBefore, distinctBefore, abandonedBefore)
    }

    static func noteDeletion(app: String, kind: String, subject: String, term: String, rows: Int) -> Statement {
        Statement("deletion.note", PackageResources.deletion_note_sql, app, kind, subject, term, rows)
    }

    /// Those of these tables that are there; names hold no comma.
    static func selectStanding(names: [String]) -> RowQuery<String> {
        RowQuery("partition.standing", PackageResources.partition_standing_sql, names.joined(separator: ","))
    }
}
