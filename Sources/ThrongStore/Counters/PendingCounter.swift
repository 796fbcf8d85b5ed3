internal import ThrongIngest
internal import ThrongPlan

/// A counter's delta under the names that the schema knows it by.
struct PendingCounter: Comparable {
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

    /// True if both mean the same row.
    func sharesRow(with other: Self) -> Bool {
        cell == other.cell && measure == other.measure && periodStart == other.periodStart && metric == other.metric
    }
}

/// A distinct count's delta under the names that the schema knows it by.
struct PendingDistinct: Comparable {
    let metric: Int32
    let kind: Int16
    let periodStart: UnixSeconds
    let margin: Int32
    let cell: Int32
    let window: Int64
    var delta: Int64

    /// True if `left` comes first in the order of the primary key.
    static func < (left: Self, right: Self) -> Bool {
        if left.metric != right.metric { return left.metric < right.metric }
        if left.periodStart != right.periodStart { return left.periodStart < right.periodStart }
        if left.margin != right.margin { return left.margin < right.margin }
        if left.cell != right.cell { return left.cell < right.cell }
        return left.window < right.window
    }

    /// True if both mean the same row.
    func sharesRow(with other: Self) -> Bool {
        cell == other.cell && window == other.window && margin == other.margin && periodStart == other.periodStart
            && metric == other.metric
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

extension Array {
    /// Sorts, then merges neighbours that mean the same row: an upsert must not meet one row twice.
    mutating func sortAndMerge(
        by areOrdered: (Element, Element) -> Bool, sharing isSame: (Element, Element) -> Bool,
        delta: WritableKeyPath<Element, Int64>
    ) {
        sort(by: areOrdered)
        var kept = 0
        for place in indices.dropFirst() {
            if isSame(self[kept], self[place]) {
                let (sum, overflow) = self[kept][keyPath: delta].addingReportingOverflow(self[place][keyPath: delta])
                self[kept][keyPath: delta] = overflow ? (self[place][keyPath: delta] > 0 ? .max : .min) : sum
            } else {
                kept += 1
                if kept != place { self[kept] = self[place] }
            }
        }
        if !isEmpty { removeSubrange((kept + 1)...) }
    }
}
