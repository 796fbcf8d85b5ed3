internal import ThrongPlan

/// Adds to the total of one fate of an app's events within an hour.
struct UpsertCoverage: Command {
    static let text = Query("coverage.upsert", PackageResources.coverage_upsert_sql)

    let app: AppName
    /// The first second of the hour.
    let hour: UnixSeconds
    let kind: String
    let events: Int64

    var parameters: [Parameter] { [.text(app.text), .instant(hour), .text(kind), .integer(events)] }
}

/// The totals of an app's events within a period, by their fate.
struct SelectCoverage: RowQuery {
    static let text = Query("coverage.select", PackageResources.coverage_select_sql)

    let app: AppName
    let period: Period

    var parameters: [Parameter] { [.text(app.text), period.start.parameter, period.end.parameter] }

    func row(_ columns: inout RowReader) throws -> (kind: String, events: Int64) {
        (try columns.text(), try columns.integer())
    }
}

/// Deletes the totals of hours before an instant.
struct DeleteCoverage: Command {
    static let text = Query("coverage.delete", PackageResources.coverage_delete_sql)

    let app: AppName
    /// The first hour that stays.
    let before: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), .instant(before)] }
}
