/// What everybody knows of two measures together: in each leaf one lies between multiples of the other.
///
/// Of events in a band from 5 to 10 the sum is at least five and at most ten times their number.
package struct TiedRange: Sendable {
    /// The measure that lies in the range; never the first.
    package let measure: Int
    /// By leaf: the least that one unit of the first measure adds. At least 0.
    package let lowest: [Int64]
    /// By leaf: the most. At least ``lowest``.
    package let highest: [Int64]

    /// Puts a range together.
    package init(measure: Int, lowest: [Int64], highest: [Int64]) {
        self.measure = measure
        self.lowest = lowest
        self.highest = highest
    }

    /// Whether the range says more of some leaf than that a measure is not negative, and is true of all of them.
    package func holds(of measures: [AdditiveMeasure]) -> Bool {
        let (counts, values) = (measures[0].values, measures[measure].values)
        return counts.indices.allSatisfy { leaf in
            let (least, under) = lowest[leaf].multipliedReportingOverflow(by: counts[leaf])
            let (most, over) = highest[leaf].multipliedReportingOverflow(by: counts[leaf])
            return !under && least <= values[leaf] && (over || values[leaf] <= most)
        }
    }
}
