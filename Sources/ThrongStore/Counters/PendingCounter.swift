internal import ThrongIngest
internal import ThrongPlan

/// A delta under the names that the schema knows its row by. Of two that mean the same row neither comes first.
protocol PendingRow: Comparable {
    var delta: Int64 { get set }
}

struct PendingCounter: PendingRow {
    let metric: Int32
    let kind: Int16
    var periodStart: UnixSeconds
    let measure: Int16
    let cell: Int32
    var delta: Int64

    /// True if `left` comes first in the order of the primary key, so that all daemons lock rows in one order.
    static func < (left: Self, right: Self) -> Bool {
        if left.metric != right.metric { return left.metric < right.metric }
        if left.periodStart != right.periodStart { return left.periodStart < right.periodStart }
        if left.measure != right.measure { return left.measure < right.measure }
        return left.cell < right.cell
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
        if left.metric != right.metric { return left.metric < right.metric }
        if left.periodStart != right.periodStart { return left.periodStart < right.periodStart }
        if left.margin != right.margin { return left.margin < right.margin }
        if left.cell != right.cell { return left.cell < right.cell }
        return left.window < right.window
    }
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
        let delta = CoverageDelta(
            app: app, hour: hour, kind: .late, events: sum.overflow ? .max : sum.partialValue)
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
