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
        apps = Dictionary(
            zip(metrics, flush.layouts).map { ($0.id, $1.app) }, uniquingKeysWith: { first, _ in first })
        coverage = PendingTotals(flush.coverage)
        counters = flush.counters.map { PendingCounter($0, of: metrics[$0.layout]) }
        taken = flush.taken.map { PendingCounter($0, of: metrics[$0.layout]) }
        distinct = flush.distinct.map { delta in
            PendingDistinct(
                metric: metrics[delta.layout].id,
                kind: metrics[delta.layout].kind.code,
                periodStart: delta.periodStart,
                margin: Int32(bitPattern: delta.margin.bits),
                cell: Int32(bitPattern: delta.cell.value),
                window: delta.window.value,
                delta: delta.delta)
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
    var emptied: [MetricPeriod] {
        Set(taken.map(\.period) + distinct.filter { $0.delta < 0 }.map(\.period)).sorted()
    }

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

extension PendingDistinct {
    fileprivate var period: PendingFlush.MetricPeriod { .init(metric: metric, start: periodStart) }
}

extension PendingCounter {
    fileprivate var period: PendingFlush.MetricPeriod { .init(metric: metric, start: periodStart) }

    fileprivate init(_ delta: CounterDelta, of metric: PendingFlush.Metric) {
        self.init(
            metric: metric.id, kind: metric.kind.code, periodStart: delta.periodStart, measure: delta.measure.value,
            cell: Int32(bitPattern: delta.cell.value), delta: delta.delta)
    }
}
