/// The most that one identifier adds to one measure in one window; held at intake, before anything is counted.
///
/// For a count with the plan's contribution bound C and no limit on cells: cells = C, amount = C, total = C. For a sum
/// whose clipped values are within ±v: amount = total = C·v. For reach: amount = 1, total = cells.
package struct ContributionLimit: Sendable, Hashable, Codable {
    /// Leaf cells that it may touch. Unit: cells.
    package let cells: Int64
    /// Largest magnitude that it adds to one leaf cell. Unit: the measure's.
    package let amount: Int64
    /// Largest sum of those magnitudes over all leaf cells. Unit: the measure's.
    package let total: Int64

    /// Puts a limit together; a total that the other two cannot reach is lowered to what they can.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``.
    package init(cells: Int64, amount: Int64, total: Int64 = .max) throws(NoiseError) {
        guard cells > 0, amount > 0, total > 0 else { throw .notPositive(.contribution) }
        let (reachable, overflow) = cells.multipliedReportingOverflow(by: amount)
        self.cells = cells
        self.amount = min(amount, total)
        self.total = overflow ? total : min(total, reachable)
    }
}
