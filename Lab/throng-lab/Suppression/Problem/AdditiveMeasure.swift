/// One number that every cell shows and that adds over leaves: contributors, or amounts.
package struct AdditiveMeasure: Sendable {
    /// The values by leaf. Never negative. Unit: the measure's own.
    package let values: [Int64]
    /// The reach that an attacker's interval around a sensitive cell must have.
    package let protection: Protection

    package init(values: [Int64], protection: Protection) {
        self.values = values
        self.protection = protection
    }

    /// The demand of L3 on one measure.
    package enum Protection: Sendable, Hashable {
        /// The largest consistent value is at least k: nobody can prove that a cohort is small.
        case reachesThreshold
        /// The largest consistent value is over k, and on both sides of the hidden value the interval extends by at
        /// least `percent` of it. Downwards it never extends by less than k, and at most as far as zero.
        ///
        /// The value has to be over k, because a cell that reaches k only if all other hidden cells are empty is not
        /// protected: a rerun of this code over such a table would publish the cell.
        case surrounds(percent: Int64)
    }

    /// Returns the values that a sensitive cell of this measure must be able to take in an attacker's view.
    ///
    /// - Returns: the value that some consistent table must reach upwards, and the one that another must reach
    ///   downwards, if any.
    func targets(of value: Int64, threshold: Int64) -> (upper: Int64, lower: Int64?) {
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
    /// Returns the sum, or the nearest bound if it does not fit.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
