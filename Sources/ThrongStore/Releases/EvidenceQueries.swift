internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static func holdCounters() -> Statement {
        Statement("counter.hold", PackageResources.counter_hold_sql)
    }

    static func selectCounters(metric: Int64, period: Period) -> RowQuery<StoredCounter> {
        RowQuery("counter.select", PackageResources.counter_select_sql, metric, period.kind, period.start) {
            StoredCounter(measure: $0, cell: $1, value: $2)
        }
    }

    static func selectDistinct(metric: Int64, period: Period) -> RowQuery<StoredDistinct> {
        RowQuery("distinct_count.select", PackageResources.distinct_count_select_sql, metric, period.kind, period.start)
        {
            StoredDistinct(margin: $0, cell: $1, window: $2, devices: $3)
        }
    }

    static func deleteDistinct(metric: Int64, period: Period) -> Statement {
        Statement(
            "distinct_count.delete", PackageResources.distinct_count_delete_sql, metric, period.kind, period.start)
    }
}
