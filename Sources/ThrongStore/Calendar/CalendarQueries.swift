internal import ThrongPlan
internal import ThrongPostgres

/// The first period of a layout from an instant on that is open or was released, and how many there are.
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

/// The layouts of an app that have open periods or rollups, and when the first of each is over.
struct SelectFirstOpenEnds: RowQuery {
    static let text = Query("open_period.first", PackageResources.open_period_first_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> (layout: StoredLayout, end: UnixSeconds) {
        (try columns.storedLayout(), try columns.time())
    }
}

/// When the periods of a kind start of which an app has releases.
struct SelectReleasedStarts: RowQuery {
    static let text = Query("release.starts", PackageResources.release_starts_sql)

    let app: AppName
    let periodKind: PeriodKind
    let from: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), periodKind.parameter, .instant(from)] }

    func row(_ columns: inout RowReader) throws -> UnixSeconds { try columns.time() }
}

/// Makes the partitions for the starts of periods where they are not there yet.
struct EnsurePartitions: Command {
    static let text = Query("partition.ensure", PackageResources.partition_ensure_sql)

    let kind: PeriodKind
    let starts: [UnixSeconds]

    var parameters: [Parameter] { [kind.parameter, .integers(starts.map(\.value))] }
}
