internal import ThrongPlan

extension Query {
    static func dropReleased(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, before: UnixSeconds, began: UnixSeconds?,
        term: String
    ) -> RowQuery<Int64> {
        RowQuery(
            "released_cell.drop", PackageResources.released_cell_drop_sql,
            .integer(metric), .text(orNull: dimension?.text), shorter.map { Int64($0.code).parameter } ?? .null,
            .instant(before), began.map { $0.parameter } ?? .null, .text(term)
        ) { try $0.integer() }
    }

    static func selectDue(metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, began: UnixSeconds?)
        -> RowQuery<(end: UnixSeconds?, releases: Int64)>
    {
        RowQuery(
            "release.select_due", PackageResources.release_select_due_sql,
            .integer(metric), .text(orNull: dimension?.text), shorter.map { Int64($0.code).parameter } ?? .null,
            began.map { $0.parameter } ?? .null
        ) { columns in
            (try columns.optionalTime(), try columns.integer())
        }
    }

    static func selectOldest(app: AppName) -> RowQuery<(metric: MetricName, end: UnixSeconds, releases: Int64)> {
        RowQuery("release.select_oldest", PackageResources.release_select_oldest_sql, .text(app.text)) { columns in
            (MetricName(try columns.text()), try columns.time(), try columns.integer())
        }
    }

    /// Gives up open periods that nothing has released.
    static func expireOpen(metric: Int64, before: UnixSeconds, began: UnixSeconds?) -> Statement {
        Statement(
            "open_period.expire", PackageResources.open_period_expire_sql,
            .integer(metric), .instant(before), began.map { $0.parameter } ?? .null)
    }

    static func dropPartitions(countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds)
        -> RowQuery<String>
    {
        RowQuery(
            "partition.drop", PackageResources.partition_drop_sql,
            .instant(countersBefore), .instant(distinctBefore), .instant(abandonedBefore)
        ) { try $0.text() }
    }

    static func noteDeletion(app: String, kind: String, subject: String, term: String, rows: Int64) -> Statement {
        Statement(
            "deletion.note", PackageResources.deletion_note_sql,
            .text(app), .text(kind), .text(subject), .text(term), .integer(rows))
    }

    /// Those of these tables that are there; names hold no comma.
    static func selectStanding(names: [String]) -> RowQuery<String> {
        RowQuery("partition.standing", PackageResources.partition_standing_sql, .text(names.joined(separator: ","))) {
            try $0.text()
        }
    }
}
