internal import ThrongPlan

/// The first period of a layout from an instant on that is open or was released, and the number of such periods.
struct SelectPeriods: RowQuery {
    static let text = Query("release_calendar.select", PackageResources.release_calendar_select_sql)

    let metric: Int64
    /// The earliest start.
    let from: UnixSeconds

    var parameters: [Parameter] { [.integer(metric), from.parameter] }

    func row(_ columns: inout RowReader) throws -> (first: UnixSeconds?, count: Int64) {
        (try columns.optionalTime(), try columns.integer())
    }
}

/// Opens periods by the calendar; those that were released already stay closed.
struct OpenByCalendar: Command {
    static let text = Query("release_calendar.insert", PackageResources.release_calendar_insert_sql)

    let metric: Int64
    let periods: [Period]

    var parameters: [Parameter] {
        [.integer(metric), .integers(periods.map(\.start.value)), .integers(periods.map(\.end.value))]
    }
}

/// The layouts of an app that have open periods or rollups, and the end of the first of each.
struct SelectFirstOpenEnds: RowQuery {
    static let text = Query("open_period.first", PackageResources.open_period_first_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> (layout: StoredLayout, end: UnixSeconds) {
        (try columns.storedLayout(), try columns.time())
    }
}

/// The starts of the periods of a kind that an app has releases of.
struct SelectReleasedStarts: RowQuery {
    static let text = Query("release.starts", PackageResources.release_starts_sql)

    let app: AppName
    let periodKind: PeriodKind
    let from: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), periodKind.parameter, .instant(from)] }

    func row(_ columns: inout RowReader) throws -> UnixSeconds { try columns.time() }
}

/// Creates missing partitions for the starts of periods.
struct EnsurePartitions: Command {
    static let text = Query("partition.ensure", PackageResources.partition_ensure_sql)

    let kind: PeriodKind
    let starts: [UnixSeconds]

    var parameters: [Parameter] { [kind.parameter, .integers(starts.map(\.value))] }
}
