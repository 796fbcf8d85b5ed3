internal import ThrongPlan

/// The open periods of an app, by their end.
struct SelectOpenPeriods: RowQuery {
    static let text = Query("open_period.select", PackageResources.open_period_select_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> (layout: StoredLayout, start: UnixSeconds, end: UnixSeconds) {
        (try columns.storedLayout(), try columns.time(), try columns.time())
    }
}

/// Deletes an open period once it is released.
struct DeleteOpenPeriod: Command {
    static let text = Query("open_period.delete", PackageResources.open_period_delete_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.start.parameter] }
}

/// Waits for the flushes of a metric that are under way and holds off later ones, to the end of the transaction.
struct LockMetric: Command {
    static let text = Query("metric.lock", PackageResources.metric_lock_sql)

    let metric: Int64

    var parameters: [Parameter] { [.integer(metric)] }
}

/// Closes a period for its release; touches one row unless it was closed before.
struct ClosePeriod: Command {
    static let text = Query("closed_period.insert", PackageResources.closed_period_insert_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.start.parameter, period.end.parameter] }
}

/// Opens a rollup of released periods.
struct InsertOpenRollup: Command {
    static let text = Query("open_rollup.insert", PackageResources.open_rollup_insert_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] {
        [.integer(metric), period.kind.parameter, period.start.parameter, period.end.parameter]
    }
}

/// Deletes an open rollup; touches one row unless it was released or given up before.
struct DeleteOpenRollup: Command {
    static let text = Query("open_rollup.delete", PackageResources.open_rollup_delete_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }
}

/// Deletes an open rollup for its release; touches one row unless it was released or given up before, or a part of it
/// is open.
struct CloseOpenRollup: Command {
    static let text = Query("open_rollup.close", PackageResources.open_rollup_close_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }
}

/// Closes those of a layout's periods that were never opened.
struct CloseUncounted: Command {
    static let text = Query("closed_period.insert_all", PackageResources.closed_period_insert_all_sql)

    let metric: Int64
    let periods: [Period]

    var parameters: [Parameter] {
        [.integer(metric), .integers(periods.map(\.start.value)), .integers(periods.map(\.end.value))]
    }
}

/// The open rollups of an app, finer ones first, with whether a period within it still waits for its own release.
struct SelectOpenRollups: RowQuery {
    static let text = Query("open_rollup.select", PackageResources.open_rollup_select_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> OpenRollup {
        OpenRollup(
            layout: try columns.storedLayout().layout(), period: try columns.period(),
            hasOpenParts: try columns.flag())
    }
}

/// True if another coarser period still needs the counters of the parts of one.
struct FindOpenRollup: RowQuery {
    static let text = Query("open_rollup.find", PackageResources.open_rollup_find_sql)

    let metric: Int64
    /// The time from the start of the parts to their end.
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.start.parameter, period.end.parameter] }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}
