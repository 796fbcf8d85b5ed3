internal import ThrongPlan

extension Query {
    static func selectPeriods(metric: Int64, from: UnixSeconds) -> RowQuery<(first: UnixSeconds?, count: Int64)> {
        RowQuery("release_calendar.select", PackageResources.release_calendar_select_sql, metric, from) { ($0, $1) }
    }

    static func openByCalendar(metric: Int64, periods: [Period]) -> Statement {
        Statement(
            "release_calendar.insert", PackageResources.release_calendar_insert_sql,
            metric, periods.map(\.start), periods.map(\.end))
    }

    static func selectFirstOpenEnds(app: AppName) -> RowQuery<(layout: StoredLayout, end: UnixSeconds)> {
        RowQuery("open_period.first", PackageResources.open_period_first_sql, app) { ($0, $1) }
    }

    static func selectReleasedStarts(app: AppName, periodKind: PeriodKind, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery("release.starts", PackageResources.release_starts_sql, app, periodKind, from)
    }

    static func ensurePartitions(kind: PeriodKind, starts: [UnixSeconds]) -> Statement {
        Statement("partition.ensure", PackageResources.partition_ensure_sql, kind, starts)
    }
}
