internal import ThrongCounting
internal import ThrongPlan
internal import ThrongPostgres

/// What a flush adds to the totals of apps, with what turns out to be late.
struct PendingTotals: Sendable {
    private var totals: [CoverageDelta]

    init(_ deltas: [CoverageDelta]) { totals = deltas }

    /// Adds events that count into a later period, which begins at `periodStart`.
    mutating func add(_ events: Int64, late periodStart: Int64, app: AppName) {
        let hour = CoverageDelta.hour(ofPeriod: periodStart)
        let known = totals.firstIndex { $0.app == app && $0.hour == hour && $0.kind == .late }
        let sum = (known.map { totals[$0].events } ?? 0).addingReportingOverflow(events)
        let delta = CoverageDelta(
            app: app, hour: hour, kind: .late, events: sum.overflow ? .max : sum.partialValue)
        if let known { totals[known] = delta } else { totals.append(delta) }
    }

    /// By app, hour and kind, so that all daemons lock rows in one order.
    var statements: [Statement] {
        totals.sorted { ($0.app, $0.hour, $0.kind.code) < ($1.app, $1.hour, $1.kind.code) }.map {
            UpsertCoverage(app: $0.app, hour: $0.hour, kind: $0.kind.name, events: $0.events).statement
        }
    }
}
