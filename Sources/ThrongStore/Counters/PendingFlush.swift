internal import ThrongIngest
internal import ThrongPlan

/// A flush under the schema's names, with the calendars of its periods.
struct PendingFlush: Sendable {
    struct MetricPeriod: Hashable, Comparable, Sendable {
        let metric: Int32
        let start: UnixSeconds

        static func < (left: Self, right: Self) -> Bool { (left.metric, left.start) < (right.metric, right.start) }
    }

    /// A layout in use: its short name and its calendar.
    struct Metric: Sendable {
        let id: Int32
        let kind: PeriodKind
        let calendar: PeriodCalendar
    }

    private(set) var counters: [PendingCounter]
    /// Deltas that lessen counters, kept apart until the released ones of their periods are known: see
    /// ``mergeTaken()``.
    private var taken: [PendingCounter]
    private(set) var distinct: [PendingDistinct]
    private(set) var coverage: PendingTotals
    private(set) var redirected = 0
    private(set) var droppedDistinct = 0
    private let metrics: [Int32: Metric]
    private let apps: [Int32: AppName]

    /// Translates a flush; `metrics` has one entry a layout of the flush, in its order.
    init(_ flush: Flush, metrics: [Metric]) {
        self.metrics = Dictionary(metrics.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        apps = Dictionary(zip(metrics, flush.layouts).map { ($0.id, $1.app) }, uniquingKeysWith: { first, _ in first })
        coverage = PendingTotals(flush.coverage)
        counters = flush.counters.map { PendingCounter($0, of: metrics[$0.layout]) }
        taken = flush.taken.map { PendingCounter($0, of: metrics[$0.layout]) }
        distinct = flush.distinct.map { delta in
            PendingDistinct(
                metric: metrics[delta.layout].id, kind: metrics[delta.layout].kind.code, periodStart: delta.periodStart,
                margin: Int32(bitPattern: delta.margin.bits), cell: Int32(bitPattern: delta.cell.value),
                window: delta.window.value, delta: delta.delta)
        }
        sortAndMerge()
    }

    /// The metrics, ascending.
    var metricIDs: [Int64] { metrics.keys.sorted().map(Int64.init) }

    /// The periods that have deltas, ascending.
    var periods: [MetricPeriod] {
        // Rows are sorted by metric and period first, so neighbours repeat.
        var found: Set<MetricPeriod> = []
        var last: MetricPeriod?
        for row in counters {
            if row.period != last { found.insert(row.period) }
            last = row.period
        }
        found.formUnion(taken.map(\.period))
        for row in distinct {
            if row.period != last { found.insert(row.period) }
            last = row.period
        }
        return found.sorted()
    }

    /// The periods that counts were removed from.
    var emptied: [MetricPeriod] { Set(taken.map(\.period) + distinct.filter { $0.delta < 0 }.map(\.period)).sorted() }

    func end(of period: MetricPeriod) -> UnixSeconds {
        metrics[period.metric].map { $0.calendar.period($0.kind, containing: period.start).end } ?? period.start + 1
    }

    func period(of metric: Int32, containing time: UnixSeconds) -> Period? {
        metrics[metric].map { $0.calendar.period($0.kind, containing: time) }
    }

    /// Moves deltas of released or impossible periods into open ones, and drops distinct counts of those periods: a
    /// late identifier may have been counted in the open period already, and a floor must stay a lower bound. Deltas
    /// that lessen counters are dropped, too: a released period never changes.
    mutating func redirect(_ targets: [MetricPeriod: UnixSeconds]) {
        guard !targets.isEmpty else { return }
        for place in counters.indices {
            let period = counters[place].period
            guard let target = targets[period] else { continue }
            counters[place].periodStart = target
            redirected += 1
            if counters[place].measure == MeasureIndex.count.value, let app = apps[period.metric] {
                coverage.add(counters[place].delta, late: target, app: app)
            }
        }
        taken.removeAll { targets[$0.period] != nil }
        let before = distinct.count
        distinct.removeAll { targets[$0.period] != nil }
        droppedDistinct = before - distinct.count
        sortAndMerge()
    }

    /// Adds the lessening deltas to the other counters, once all of them are of open periods.
    mutating func mergeTaken() {
        guard !taken.isEmpty else { return }
        counters += taken
        taken = []
        sortAndMerge()
    }

    private mutating func sortAndMerge() {
        counters.sortAndMerge()
        distinct.sortAndMerge()
    }
}

extension PendingCounter {
    fileprivate var period: PendingFlush.MetricPeriod { .init(metric: metric, start: periodStart) }

    fileprivate init(_ delta: CounterDelta, of metric: PendingFlush.Metric) {
        self.init(
            metric: metric.id, kind: metric.kind.code, periodStart: delta.periodStart, measure: delta.measure.value,
            cell: Int32(bitPattern: delta.cell.value), delta: delta.delta)
    }
}

extension Query {
    /// The temporary tables that a flush is copied to before the upsert; several statements.
    static let createPending = Statement(pending_create_sql)
    static let copyPendingCounters = Statement(pending_counter_copy_sql)
    static let copyPendingDistinct = Statement(pending_distinct_copy_sql)

    static func selectImpossible(starts: [UnixSeconds]) -> RowQuery<(starts: Set<UnixSeconds>, now: UnixSeconds)> {
        RowQuery(period_possible_sql, starts) { (starts: [String], now) in
            (Set(starts.compactMap { Int64($0).map { UnixSeconds($0) } }), now)
        }
    }

    /// Locks metrics, shared with other flushes but with no release.
    static func lockMetricsShared(metrics: [Int64]) -> Statement { Statement(metric_lock_shared_sql, metrics) }

    /// Periods of these metrics that were closed, back to the time that late events reach.
    static func selectRecentlyClosed(metrics: [Int64], since: UnixSeconds) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery(closed_period_select_recent_sql, metrics, since)
    }

    static func selectClosed(periods: [PendingFlush.MetricPeriod]) -> RowQuery<PendingFlush.MetricPeriod> {
        RowQuery(closed_period_select_sql, periods)
    }

    static func selectClosedFrom(metric: Int32, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery(closed_period_select_from_sql, metric, from)
    }

    static func openPeriods(periods: [PendingFlush.MetricPeriod], ends: [UnixSeconds]) -> Statement {
        Statement(open_period_insert_sql, periods, ends)
    }

    static func upsertCounters(shard: Int16) -> Statement { Statement(counter_upsert_sql, shard) }

    static func upsertDistinct(shard: Int16) -> Statement { Statement(distinct_count_upsert_sql, shard) }

    /// Deletes rows that a removal has reduced to nothing.
    static func pruneRemoved(shard: Int16, periods: [PendingFlush.MetricPeriod]) -> Statement {
        Statement(removal_prune_sql, shard, periods)
    }

    static func pruneCoverage(app: AppName) -> Statement { Statement(coverage_prune_sql, app) }
}

/// A metric and the start of one of its periods; several are sent as an array of metrics and one of starts.
extension PendingFlush.MetricPeriod: ColumnValue, ParameterElement {
    static var columns: Int { 2 }
    init(reading row: inout RowReader) throws {
        self.init(metric: Int32(truncatingIfNeeded: try row.integer()), start: try row.next())
    }
    static func parameters(of all: [Self]) -> [Parameter] { all.map(\.metric).parameters + all.map(\.start).parameters }
}

/// A delta under the names that the schema knows its row by. Of two that mean the same row neither comes first.
protocol PendingRow: Comparable { var delta: Int64 { get set } }

struct PendingCounter: PendingRow {
    let metric: Int32
    let kind: Int16
    var periodStart: UnixSeconds
    let measure: Int16
    let cell: Int32
    var delta: Int64

    /// True if `left` comes first in the order of the primary key, so that all daemons lock rows in one order.
    static func < (left: Self, right: Self) -> Bool {
        (left.metric, left.periodStart, left.measure, left.cell)
            < (right.metric, right.periodStart, right.measure, right.cell)
    }
}

struct PendingDistinct: PendingRow {
    let metric: Int32
    let kind: Int16
    let periodStart: UnixSeconds
    let margin: Int32
    let cell: Int32
    let window: Int64
    var delta: Int64

    static func < (left: Self, right: Self) -> Bool {
        (left.metric, left.periodStart, left.margin, left.cell, left.window)
            < (right.metric, right.periodStart, right.margin, right.cell, right.window)
    }

    fileprivate var period: PendingFlush.MetricPeriod { .init(metric: metric, start: periodStart) }
}

/// The deltas of a flush to the totals of apps, with the events that turn out to be late.
struct PendingTotals: Sendable {
    private var totals: [CoverageDelta]

    init(_ deltas: [CoverageDelta]) { totals = deltas }

    /// Adds events that count into a later period, which begins at `periodStart`.
    mutating func add(_ events: Int64, late periodStart: UnixSeconds, app: AppName) {
        let hour = CoverageDelta.hour(ofPeriod: periodStart)
        let known = totals.firstIndex { $0.app == app && $0.hour == hour && $0.kind == .late }
        let sum = (known.map { totals[$0].events } ?? 0).addingReportingOverflow(events)
        let delta = CoverageDelta(app: app, hour: hour, kind: .late, events: sum.overflow ? .max : sum.partialValue)
        if let known { totals[known] = delta } else { totals.append(delta) }
    }

    /// The upserts by app, hour and kind, so that all daemons lock rows in one order; then the pruning.
    var statements: [Statement] {
        let upserts = totals.sorted { ($0.app, $0.hour, $0.kind.code) < ($1.app, $1.hour, $1.kind.code) }.map {
            Query.upsertCoverage(app: $0.app, hour: $0.hour, kind: $0.kind.name, events: $0.events)
        }
        let lessened = Set(totals.filter { $0.events < 0 }.map(\.app)).sorted()
        return upserts + lessened.map { Query.pruneCoverage(app: $0) }
    }
}

extension Array where Element: PendingRow {
    /// Sorts, then merges neighbours that mean the same row: an upsert must not meet one row twice.
    mutating func sortAndMerge() {
        sort()
        var kept = 0
        for place in indices.dropFirst() {
            if self[kept] < self[place] {
                kept += 1
                if kept != place { self[kept] = self[place] }
            } else {
                let (sum, overflow) = self[kept].delta.addingReportingOverflow(self[place].delta)
                self[kept].delta = overflow ? (self[place].delta > 0 ? .max : .min) : sum
            }
        }
        if !isEmpty { removeSubrange((kept + 1)...) }
    }
}
