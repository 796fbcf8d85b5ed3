internal import ThrongPlan

extension Query {
    static func selectOpenPeriods(
        app: AppName
    ) -> RowQuery<(layout: StoredLayout, start: UnixSeconds, end: UnixSeconds)> {
        RowQuery("open_period.select", PackageResources.open_period_select_sql, app) { ($0, $1, $2) }
    }

    static func deleteOpenPeriod(metric: Int64, period: Period) -> Statement {
        Statement("open_period.delete", PackageResources.open_period_delete_sql, metric, period.start)
    }

    static func lockMetric(metric: Int64) -> Statement {
        Statement("metric.lock", PackageResources.metric_lock_sql, metric)
    }

    /// Closes a period for its release; touches one row unless it was closed before.
    static func closePeriod(metric: Int64, period: Period) -> Statement {
        Statement("closed_period.insert", PackageResources.closed_period_insert_sql, metric, period.start, period.end)
    }

    static func insertOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(
            "open_rollup.insert", PackageResources.open_rollup_insert_sql, metric, period.kind, period.start, period.end
        )
    }

    static func deleteOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement("open_rollup.delete", PackageResources.open_rollup_delete_sql, metric, period.kind, period.start)
    }

    /// Deletes an open rollup for its release; touches one row unless it was released or given up before, or a part of it
    /// is open.
    static func closeOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement("open_rollup.close", PackageResources.open_rollup_close_sql, metric, period.kind, period.start)
    }

    /// Closes those of a layout's periods that were never opened.
    static func closeUncounted(metric: Int64, periods: [Period]) -> Statement {
        Statement(
            "closed_period.insert_all", PackageResources.closed_period_insert_all_sql,
            metric, periods.map(\.start), periods.map(\.end))
    }

    static func selectOpenRollups(app: AppName) -> RowQuery<OpenRollup> {
        RowQuery("open_rollup.select", PackageResources.open_rollup_select_sql, app) {
            (stored: StoredLayout, period, isOpen) in
            OpenRollup(layout: try stored.layout(), period: period, hasOpenParts: isOpen)
        }
    }

    static func findOpenRollup(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery("open_rollup.find", PackageResources.open_rollup_find_sql, metric, period.start, period.end)
    }
}
