internal import ThrongPlan

extension Query {
    static func upsertCoverage(app: AppName, hour: UnixSeconds, kind: String, events: Int64) -> Statement {
        Statement("coverage.upsert", PackageResources.coverage_upsert_sql, app, hour, kind, events)
    }

    /// The totals of an app's events within a period, by their fate.
    static func selectCoverage(app: AppName, period: Period) -> RowQuery<(kind: String, events: Int64)> {
        RowQuery("coverage.select", PackageResources.coverage_select_sql, app, period.start, period.end) { ($0, $1) }
    }

    static func deleteCoverage(app: AppName, before: UnixSeconds) -> Statement {
        Statement("coverage.delete", PackageResources.coverage_delete_sql, app, before)
    }
}
