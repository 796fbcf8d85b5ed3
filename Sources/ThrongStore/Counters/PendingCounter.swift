internal import ThrongCounting
internal import ThrongPlan

/// A counter's delta under the names that the schema knows it by.
struct PendingCounter: Comparable {
    let metric: Int32
    let kind: Int16
    var periodStart: Int64
    let measure: Int16
    let cell: Int32
    var delta: Int64

    /// In the order of the primary key, so that all daemons lock rows in one order.
    static func < (left: Self, right: Self) -> Bool {
        if left.metric != right.metric { return left.metric < right.metric }
        if left.periodStart != right.periodStart { return left.periodStart < right.periodStart }
        if left.measure != right.measure { return left.measure < right.measure }
        return left.cell < right.cell
    }

    /// Whether both mean the same row.
    func sharesRow(with other: Self) -> Bool {
        cell == other.cell && measure == other.measure && periodStart == other.periodStart && metric == other.metric
    }
}

/// A distinct count's delta under the names that the schema knows it by.
struct PendingDistinct: Comparable {
    let metric: Int32
    let kind: Int16
    let periodStart: Int64
    let margin: Int32
    let cell: Int32
    let window: Int64
    var delta: Int64

    /// In the order of the primary key.
    static func < (left: Self, right: Self) -> Bool {
        if left.metric != right.metric { return left.metric < right.metric }
        if left.periodStart != right.periodStart { return left.periodStart < right.periodStart }
        if left.margin != right.margin { return left.margin < right.margin }
        if left.cell != right.cell { return left.cell < right.cell }
        return left.window < right.window
    }

    /// Whether both mean the same row.
    func sharesRow(with other: Self) -> Bool {
        cell == other.cell && window == other.window && margin == other.margin && periodStart == other.periodStart
            && metric == other.metric
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
