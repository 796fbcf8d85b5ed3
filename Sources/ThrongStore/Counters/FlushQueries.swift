internal import ThrongPlan

extension Query {
    /// The temporary tables that a flush is copied to before the upsert; several statements.
    static let createPending = Statement("pending.create", PackageResources.pending_create_sql)
    static let copyPendingCounters = Statement("pending_counter.copy", PackageResources.pending_counter_copy_sql)
    static let copyPendingDistinct = Statement("pending_distinct.copy", PackageResources.pending_distinct_copy_sql)
}

extension Query {
    static func selectImpossible(starts: [UnixSeconds]) -> RowQuery<(starts: Set<UnixSeconds>, now: UnixSeconds)> {
        RowQuery("period.possible", PackageResources.period_possible_sql, .integers(starts.map(\.value))) { columns in
            (Set(try columns.names().compactMap { Int64($0).map { UnixSeconds($0) } }), try columns.time())
        }
    }

    /// Locks metrics, shared with other flushes but with no release.
    static func lockMetricsShared(metrics: [Int64]) -> Statement {
        Statement("metric.lock_shared", PackageResources.metric_lock_shared_sql, .integers(metrics))
    }

    /// Periods of these metrics that were closed, back to the time that late events reach.
    static func selectRecentlyClosed(metrics: [Int64], since: UnixSeconds) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery(
            "closed_period.select_recent", PackageResources.closed_period_select_recent_sql,
            .integers(metrics), since.parameter
        ) { try $0.metricPeriod() }
    }

    static func selectClosed(periods: [PendingFlush.MetricPeriod]) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery("closed_period.select", PackageResources.closed_period_select_sql, all: periods.parameters) {
            try $0.metricPeriod()
        }
    }

    static func selectClosedFrom(metric: Int32, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery(
            "closed_period.select_from", PackageResources.closed_period_select_from_sql,
            .integer(Int64(metric)), from.parameter
        ) { try $0.time() }
    }

    static func openPeriods(periods: [PendingFlush.MetricPeriod], ends: [UnixSeconds]) -> Statement {
        Statement(
            "open_period.insert", PackageResources.open_period_insert_sql,
            all: periods.parameters + [.integers(ends.map(\.value))])
    }

    /// Adds the copied deltas to the counters.
    static func upsertCounters(shard: Int16) -> Statement {
        Statement("counter.upsert", PackageResources.counter_upsert_sql, .integer(Int64(shard)))
    }

    /// Adds the copied deltas to the distinct counts.
    static func upsertDistinct(shard: Int16) -> Statement {
        Statement("distinct_count.upsert", PackageResources.distinct_count_upsert_sql, .integer(Int64(shard)))
    }

    /// Deletes rows that a removal has reduced to nothing.
    static func pruneRemoved(shard: Int16, periods: [PendingFlush.MetricPeriod]) -> Statement {
        Statement(
            "removal.prune", PackageResources.removal_prune_sql, all: [.integer(Int64(shard))] + periods.parameters)
    }

    static func pruneCoverage(app: AppName) -> Statement {
        Statement("coverage.prune", PackageResources.coverage_prune_sql, .text(app.text))
    }
}

extension [PendingFlush.MetricPeriod] {
    /// The metrics, then the starts, as parameters.
    fileprivate var parameters: [Parameter] { [.integers(map { Int64($0.metric) }), .integers(map(\.start.value))] }
}

extension RowReader {
    /// Reads a metric and the start of one of its periods.
    fileprivate mutating func metricPeriod() throws(PostgresError) -> PendingFlush.MetricPeriod {
        PendingFlush.MetricPeriod(metric: Int32(truncatingIfNeeded: try integer()), start: try time())
    }
}
