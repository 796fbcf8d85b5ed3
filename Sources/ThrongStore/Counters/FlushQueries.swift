internal import ThrongPlan

extension Query {
    /// The temporary tables that a flush is copied to before the upsert; several statements.
    static let createPending = Query("pending.create", PackageResources.pending_create_sql)
    static let copyPendingCounters = Query("pending_counter.copy", PackageResources.pending_counter_copy_sql)
    static let copyPendingDistinct = Query("pending_distinct.copy", PackageResources.pending_distinct_copy_sql)
}

/// Those of these instants that no partition is created for, and PostgreSQL's clock.
struct SelectImpossible: RowQuery {
    static let text = Query("period.possible", PackageResources.period_possible_sql)

    let starts: [UnixSeconds]

    var parameters: [Parameter] { [.integers(starts.map(\.value))] }

    func row(_ columns: inout RowReader) throws -> (starts: Set<UnixSeconds>, now: UnixSeconds) {
        (Set(try columns.names().compactMap { Int64($0).map { UnixSeconds($0) } }), try columns.time())
    }
}

/// Locks metrics, shared with other flushes but with no release.
struct LockMetricsShared: Command {
    static let text = Query("metric.lock_shared", PackageResources.metric_lock_shared_sql)

    let metrics: [Int64]

    var parameters: [Parameter] { [.integers(metrics)] }
}

/// Periods of these metrics that were closed, back to the time that late events reach.
struct SelectRecentlyClosed: RowQuery {
    static let text = Query("closed_period.select_recent", PackageResources.closed_period_select_recent_sql)

    let metrics: [Int64]
    /// The oldest end of a period that late events may reach.
    let since: UnixSeconds

    var parameters: [Parameter] { [.integers(metrics), since.parameter] }

    func row(_ columns: inout RowReader) throws -> PendingFlush.MetricPeriod { try columns.metricPeriod() }
}

/// The periods of a flush that were released meanwhile.
struct SelectClosed: RowQuery {
    static let text = Query("closed_period.select", PackageResources.closed_period_select_sql)

    let periods: [PendingFlush.MetricPeriod]

    var parameters: [Parameter] { periods.parameters }

    func row(_ columns: inout RowReader) throws -> PendingFlush.MetricPeriod { try columns.metricPeriod() }
}

/// The starts of closed periods of one metric from an instant on.
struct SelectClosedFrom: RowQuery {
    static let text = Query("closed_period.select_from", PackageResources.closed_period_select_from_sql)

    let metric: Int32
    let from: UnixSeconds

    var parameters: [Parameter] { [.integer(Int64(metric)), from.parameter] }

    func row(_ columns: inout RowReader) throws -> UnixSeconds { try columns.time() }
}

/// Opens the periods that a flush touches.
struct OpenPeriods: Command {
    static let text = Query("open_period.insert", PackageResources.open_period_insert_sql)

    let periods: [PendingFlush.MetricPeriod]
    /// The ends, one a period.
    let ends: [UnixSeconds]

    var parameters: [Parameter] { periods.parameters + [.integers(ends.map(\.value))] }
}

/// Adds the copied deltas to the counters.
struct UpsertCounters: Command {
    static let text = Query("counter.upsert", PackageResources.counter_upsert_sql)

    let shard: Int16

    var parameters: [Parameter] { [.integer(Int64(shard))] }
}

/// Adds the copied deltas to the distinct counts.
struct UpsertDistinct: Command {
    static let text = Query("distinct_count.upsert", PackageResources.distinct_count_upsert_sql)

    let shard: Int16

    var parameters: [Parameter] { [.integer(Int64(shard))] }
}

/// Deletes rows that a removal has reduced to nothing.
struct PruneRemoved: Command {
    static let text = Query("removal.prune", PackageResources.removal_prune_sql)

    let shard: Int16
    let periods: [PendingFlush.MetricPeriod]

    var parameters: [Parameter] { [.integer(Int64(shard))] + periods.parameters }
}

/// Deletes totals of an app's events that a removal has reduced to nothing.
struct PruneCoverage: Command {
    static let text = Query("coverage.prune", PackageResources.coverage_prune_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }
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
