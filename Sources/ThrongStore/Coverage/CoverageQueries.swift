internal import ThrongPlan

extension Query {
    static func upsertCoverage(app: AppName, hour: UnixSeconds, kind: String, events: Int64) -> Statement {
        Statement(
            "coverage.upsert", PackageResources.coverage_upsert_sql,
            .text(app.text), .instant(hour), .text(kind), .integer(events))
    }

    /// The totals of an app's events within a period, by their fate.
    static func selectCoverage(app: AppName, period: Period) -> RowQuery<(kind: String, events: Int64)> {
        RowQuery(
            "coverage.select", PackageResources.coverage_select_sql,
            .text(app.text), period.start.parameter, period.end.parameter
        ) { columns in
            (try columns.text(), try columns.integer())
        }
    }

    static func deleteCoverage(app: AppName, before: UnixSeconds) -> Statement {
        Statement("coverage.delete", PackageResources.coverage_delete_sql, .text(app.text), .instant(before))
    }
}
