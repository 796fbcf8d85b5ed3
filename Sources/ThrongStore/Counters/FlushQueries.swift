internal import ThrongPlan

extension Query {
    /// The temporary tables that a flush is copied to before the upsert; several statements.
    static let createPending = Statement("pending.create", PackageResources.pending_create_sql)
    static let copyPendingCounters = Statement("pending_counter.copy", PackageResources.pending_counter_copy_sql)
    static let copyPendingDistinct = Statement("pending_distinct.copy", PackageResources.pending_distinct_copy_sql)

    static func selectImpossible(starts: [UnixSeconds]) -> RowQuery<(starts: Set<UnixSeconds>, now: UnixSeconds)> {
        RowQuery("period.possible", PackageResources.period_possible_sql, starts) { (starts: [String], now) in
            (Set(starts.compactMap { Int64($0).map { UnixSeconds($0) } }), now)
        }
    }

    /// Locks metrics, shared with other flushes but with no release.
    static func lockMetricsShared(metrics: [Int64]) -> Statement {
        Statement("metric.lock_shared", PackageResources.metric_lock_shared_sql, metrics)
    }

    /// Periods of these metrics that were closed, back to the time that late events reach.
    static func selectRecentlyClosed(metrics: [Int64], since: UnixSeconds) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery("closed_period.select_recent", PackageResources.closed_period_select_recent_sql, metrics, since)
    }

    static func selectClosed(periods: [PendingFlush.MetricPeriod]) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery("closed_period.select", PackageResources.closed_period_select_sql, periods)
    }

    static func selectClosedFrom(metric: Int32, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery("closed_period.select_from", PackageResources.closed_period_select_from_sql, metric, from)
    }

    static func openPeriods(periods: [PendingFlush.MetricPeriod], ends: [UnixSeconds]) -> Statement {
        Statement("open_period.insert", PackageResources.open_period_insert_sql, periods, ends)
    }

    static func upsertCounters(shard: Int16) -> Statement {
        Statement("counter.upsert", PackageResources.counter_upsert_sql, shard)
    }

    static func upsertDistinct(shard: Int16) -> Statement {
        Statement("distinct_count.upsert", PackageResources.distinct_count_upsert_sql, shard)
    }

    /// Deletes rows that a removal has reduced to nothing.
    static func pruneRemoved(shard: Int16, periods: [PendingFlush.MetricPeriod]) -> Statement {
        Statement("removal.prune", PackageResources.removal_prune_sql, shard, periods)
    }

    static func pruneCoverage(app: AppName) -> Statement {
        Statement("coverage.prune", PackageResources.coverage_prune_sql, app)
    }
}

/// A metric and the start of one of its periods; several are sent as an array of metrics and one of starts.
extension PendingFlush.MetricPeriod: ColumnValue, ParameterElement {
    static var columns: Int { 2 }
    init(reading row: inout RowReader) throws {
        self.init(metric: Int32(truncatingIfNeeded: try row.integer()), start: try row.next())
    }
    static func parameters(of all: [Self]) -> [Parameter] { all.map(\.metric).parameters + all.map(\.start).parameters }
}
