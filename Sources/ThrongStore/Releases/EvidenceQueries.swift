internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static func holdCounters() -> Statement {
        Statement("counter.hold", PackageResources.counter_hold_sql)
    }

    static func selectCounters(metric: Int64, period: Period) -> RowQuery<StoredCounter> {
        RowQuery(
            "counter.select", PackageResources.counter_select_sql,
            .integer(metric), period.kind.parameter, period.start.parameter
        ) { columns in
            StoredCounter(measure: try columns.measure(), cell: try columns.cell(), value: try columns.integer())
        }
    }

    static func selectDistinct(metric: Int64, period: Period) -> RowQuery<StoredDistinct> {
        RowQuery(
            "distinct_count.select", PackageResources.distinct_count_select_sql,
            .integer(metric), period.kind.parameter, period.start.parameter
        ) { columns in
            StoredDistinct(
                margin: try columns.margin(), cell: try columns.cell(), window: WindowNumber(try columns.integer()),
                devices: try columns.integer())
        }
    }

    static func deleteDistinct(metric: Int64, period: Period) -> Statement {
        Statement(
            "distinct_count.delete", PackageResources.distinct_count_delete_sql,
            .integer(metric), period.kind.parameter, period.start.parameter)
    }
}
