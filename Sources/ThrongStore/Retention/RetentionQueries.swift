internal import ThrongPlan
internal import ThrongPostgres

/// Every layout of every app, and how long its numbers are kept; nil where no plan said so.
struct SelectKeptLayouts: RowQuery {
    static let text = Query("metric_layout.select_kept", PackageResources.metric_layout_select_kept_sql)

    func row(
        _ columns: inout RowReader
    ) throws -> (metric: Int64, app: AppName, name: MetricName, steps: [DecayStep]?) {
        (
            try columns.integer(), AppName(try columns.text()), MetricName(try columns.text()),
            DecayStep.steps(after: try columns.optionalText(), drops: try columns.optionalText())
        )
    }
}

/// Deletes published numbers that have reached their age; says how many cells went.
struct DropReleased: RowQuery {
    static let text = Query("released_cell.drop", PackageResources.released_cell_drop_sql)

    let metric: Int64
    /// The one whose numbers go; nil takes all.
    let dimension: DimensionName?
    /// The latest end of the periods.
    let before: UnixSeconds

    var parameters: [Parameter] { [.integer(metric), .text(orNull: dimension?.text), .instant(before)] }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Gives up what nobody has released.
struct ExpireOpen: Command {
    static let text = Query("open_period.expire", PackageResources.open_period_expire_sql)

    let metric: Int64
    /// The latest end of what goes.
    let before: UnixSeconds

    var parameters: [Parameter] { [.integer(metric), .instant(before)] }
}

/// Drops the partitions that are needed no longer; says which tables went.
struct DropPartitions: RowQuery {
    static let text = Query("partition.drop", PackageResources.partition_drop_sql)

    let countersBefore: UnixSeconds
    let distinctBefore: UnixSeconds
    let abandonedBefore: UnixSeconds

    var parameters: [Parameter] { [.instant(countersBefore), .instant(distinctBefore), .instant(abandonedBefore)] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}

/// Deletes the largest contributions that belong to no period that can still be released.
struct DeleteAbandonedTop: Command {
    static let text = Query(
        "top_contribution.delete_abandoned", PackageResources.top_contribution_delete_abandoned_sql)
}
