import ThrongIngest
import ThrongPlan
import ThrongStore

/// What a simulated PostgreSQL has committed.
struct DatabaseState {
    /// A counter, whatever the period.
    struct Cell: Hashable {
        let metric: MetricName
        let measure: Int16
        let cell: UInt32
    }

    /// Devices of a tracked cell in one window and period.
    struct Distinct: Hashable {
        let metric: MetricName
        let margin: UInt32
        let cell: UInt32
        let window: Int64
        let periodStart: UnixSeconds
    }

    /// A period of a metric.
    struct MetricPeriod: Hashable, Comparable {
        let metric: MetricName
        let start: UnixSeconds

        static func < (left: Self, right: Self) -> Bool {
            (left.start, left.metric.text) < (right.start, right.metric.text)
        }
    }

    /// What was published of a period.
    struct Released {
        let layout: LayoutID
        let end: UnixSeconds
        var hasCells = true
    }

    var marks: [DaemonID: Watermark] = [:]
    /// Until when windows were closed, by place in the journal.
    var closings: [DaemonID: [JournalPosition: UnixSeconds]] = [:]
    /// The last asking that each daemon has answered.
    var settled: [DaemonID: Int64] = [:]
    /// The time of day that was believed last.
    var believed: StoredClock.Believed?
    var counters: [Cell: Int64] = [:]
    var distinct: [Distinct: Int64] = [:]
    /// Periods that have counters and were not released: their ends.
    var open: [MetricPeriod: UnixSeconds] = [:]
    var released: [MetricPeriod: Released] = [:]

    /// Adds a flush as the schema's queries do; returns what was redirected.
    mutating func add(_ flush: Flush, now: UnixSeconds) -> Int {
        var redirected = 0
        for delta in flush.counters {
            let layout = flush.layouts[delta.layout]
            var period = MetricPeriod(metric: layout.metric, start: delta.periodStart)
            if released[period] != nil {
                period = target(of: layout, now: now)
                redirected += 1
            }
            open[period] = PeriodCalendar.utc.period(layout.period, containing: period.start).end
            counters[
                Cell(metric: layout.metric, measure: delta.measure.value, cell: delta.cell.value), default: 0] +=
                delta.delta
        }
        for delta in flush.taken {
            let layout = flush.layouts[delta.layout]
            guard released[MetricPeriod(metric: layout.metric, start: delta.periodStart)] == nil else { continue }
            counters[
                Cell(metric: layout.metric, measure: delta.measure.value, cell: delta.cell.value), default: 0] +=
                delta.delta
        }
        for delta in flush.distinct {
            let layout = flush.layouts[delta.layout]
            let period = MetricPeriod(metric: layout.metric, start: delta.periodStart)
            guard released[period] == nil else { continue }
            open[period] = PeriodCalendar.utc.period(layout.period, containing: period.start).end
            distinct[
                Distinct(
                    metric: layout.metric, margin: delta.margin.bits, cell: delta.cell.value,
                    window: delta.window.value, periodStart: delta.periodStart), default: 0] += delta.delta
        }
        return redirected
    }

    /// The period of a layout that takes late counts: the first open one from now on.
    private func target(of layout: MetricLayout, now: UnixSeconds) -> MetricPeriod {
        var period = PeriodCalendar.utc.period(layout.period, containing: now)
        while released[MetricPeriod(metric: layout.metric, start: period.start)] != nil {
            period = PeriodCalendar.utc.period(layout.period, containing: period.end)
        }
        return MetricPeriod(metric: layout.metric, start: period.start)
    }

    /// Periods that were released and ended within the last 72 hours.
    func recentlyClosed(now: UnixSeconds) -> Set<ClosedPeriod> {
        Set(
            released.filter { $0.key.start >= now - 72 * 3600 }.map {
                ClosedPeriod(layout: $0.value.layout, periodStart: $0.key.start)
            })
    }
}
