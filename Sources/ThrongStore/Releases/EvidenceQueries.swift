internal import ThrongPlan
internal import ThrongRelease

/// Waits for the flushes of all metrics under way and holds off later ones, if Citus holds the counters.
struct HoldCounters: Command {
    static let text = Query("counter.hold", PackageResources.counter_hold_sql)
}

/// The counters of one period, by measure and cell.
struct SelectCounters: RowQuery {
    static let text = Query("counter.select", PackageResources.counter_select_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> StoredCounter {
        StoredCounter(measure: try columns.measure(), cell: try columns.cell(), value: try columns.integer())
    }
}

/// The distinct counts of one period, by margin, cell and window.
struct SelectDistinct: RowQuery {
    static let text = Query("distinct_count.select", PackageResources.distinct_count_select_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> StoredDistinct {
        StoredDistinct(
            margin: try columns.margin(), cell: try columns.cell(), window: WindowNumber(try columns.integer()),
            devices: try columns.integer())
    }
}

/// Deletes the distinct counts of a period: their one purpose was the floor of its release.
struct DeleteDistinct: Command {
    static let text = Query("distinct_count.delete", PackageResources.distinct_count_delete_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }
}
