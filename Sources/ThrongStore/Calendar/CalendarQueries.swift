internal import ThrongPlan

extension Query {
    static func selectPeriods(metric: Int64, from: UnixSeconds) -> RowQuery<(first: UnixSeconds?, count: Int64)> {
        RowQuery(
            "release_calendar.select", PackageResources.release_calendar_select_sql, .integer(metric), from.parameter
        ) { columns in
            (try columns.optionalTime(), try columns.integer())
        }
    }

    static func openByCalendar(metric: Int64, periods: [Period]) -> Statement {
        Statement(
            "release_calendar.insert", PackageResources.release_calendar_insert_sql,
            .integer(metric), .integers(periods.map(\.start.value)), .integers(periods.map(\.end.value)))
    }

    static func selectFirstOpenEnds(app: AppName) -> RowQuery<(layout: StoredLayout, end: UnixSeconds)> {
        RowQuery("open_period.first", PackageResources.open_period_first_sql, .text(app.text)) { columns in
            (try columns.storedLayout(), try columns.time())
        }
    }

    static func selectReleasedStarts(app: AppName, periodKind: PeriodKind, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery(
            "release.starts", PackageResources.release_starts_sql,
            .text(app.text), periodKind.parameter, .instant(from)
        ) { try $0.time() }
    }

    /// Creates missing partitions for the starts of periods.
    static func ensurePartitions(kind: PeriodKind, starts: [UnixSeconds]) -> Statement {
        Statement(
            "partition.ensure", PackageResources.partition_ensure_sql, kind.parameter, .integers(starts.map(\.value)))
    }
}
