internal import ThrongFaults

/// One number that every cell shows and that adds over leaves: an event count, a clipped sum, devices where they add.
package struct AdditiveMeasure: Sendable {
    /// By leaf. Never negative. Unit: the measure's own.
    package let values: [Int64]
    /// How far an attacker's interval around a sensitive cell must reach.
    package let protection: Protection
    /// Whether another table may have something of it in a place that is empty: nobody's events there are as likely as
    /// nobody's absence, but a sum needs events.
    package let mayArrive: Bool

    /// Puts a measure together.
    package init(values: [Int64], protection: Protection, mayArrive: Bool = true) {
        self.mayArrive = mayArrive
        self.values = values
        self.protection = protection
    }

    /// What L3 asks of one measure (disclosure, section 1).
    package enum Protection: Sendable, Hashable {
        /// The largest consistent value is at least k: nobody can prove that a cohort is small.
        case reachesThreshold
        /// The largest consistent value is over k, and on both sides of the hidden value the interval extends by at least
        /// `percent` of it; downwards never by less than k, and as far as zero at most.
        ///
        /// Over k, because a cell that reaches k only where all else that is hidden is empty does not reach it: a rerun of
        /// this code over such a table would publish the cell.
        case surrounds(percent: Int64)
    }

    /// The values that a sensitive cell of this measure must be able to take, as an attacker sees it.
    ///
    /// - Returns: what some consistent table must reach upwards, and what another must reach downwards, if anything.
    func targets(of value: Int64, threshold: Int64) -> (upper: Int64, lower: Int64?) {
        // Another value is all that L1 asks.
        if Fault.skipIntervals.isOn { return (value.clampedSum(1), nil) }
        switch protection {
        case .reachesThreshold:
            // A cell that is sensitive for another reason than its size must at least not be pinned.
            return (value < threshold ? threshold : value.clampedSum(1), nil)
        case .surrounds(let percent):
            let (product, overflow) = value.multipliedReportingOverflow(by: percent)
            let share =
                overflow
                ? (value / 100 + 1).multipliedReportingOverflow(by: percent).partialValue : (product + 99) / 100
            return (
                max(threshold.clampedSum(1), value.clampedSum(max(1, share))), max(0, value - max(threshold, share))
            )
        }
    }
}

extension Int64 {
    /// The sum, or the nearest bound where it does not fit.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
