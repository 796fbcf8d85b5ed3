/// How far the numbers of one measure move when one identifier is taken out of one window: all groupings together.
///
/// Neighbours are tables with and without one identifier's events of one window.
package struct Sensitivity: Sendable, Hashable {
    /// Δ₁: the sum of all moves. Unit: the measure's.
    package let absolute: Int128
    /// Δ₂²: the sum of their squares. Unit: the measure's, squared.
    package let squared: Int128

    /// Follows from what one identifier may add.
    ///
    /// Among the leaves the squares are largest when as many cells as possible are full. In any coarser grouping all of
    /// an identifier's cells may fall into one, so there its whole total moves a single number.
    /// - Parameters:
    ///   - groupings: how many margins of the metric are released, each with noise of its own; at least 1.
    ///   - includesLeaves: whether the finest margin is one of them.
    /// - Throws: ``NoiseError/emptyUniverse`` and ``NoiseError/overflow``.
    package init(of limit: ContributionLimit, groupings: Int, includesLeaves: Bool) throws(NoiseError) {
        guard groupings > 0 else { throw .emptyUniverse }
        let total = Int128(limit.total)
        let amount = Int128(limit.amount)
        let full = total / amount
        let rest = total % amount
        let leaves = includesLeaves ? 1 : 0
        let (absolute, overflow) = total.multipliedReportingOverflow(by: Int128(groupings))
        let (coarser, overflowCoarser) = (total * total).multipliedReportingOverflow(by: Int128(groupings - leaves))
        let finest = includesLeaves ? full * amount * amount + rest * rest : 0
        let (squared, overflowSquared) = coarser.addingReportingOverflow(finest)
        guard !overflow, !overflowCoarser, !overflowSquared else { throw .overflow }
        self.absolute = absolute
        self.squared = squared
    }
}

extension Sensitivity {
    /// How far the numbers move when that many such identifiers are taken out at once, all of which may have added to the
    /// same cells: what one device does that shows another identifier in each window.
    ///
    /// - Throws: ``NoiseError/overflow``.
    func times(_ identifiers: Int64) throws(NoiseError) -> Sensitivity {
        let (absolute, overflow) = absolute.multipliedReportingOverflow(by: Int128(identifiers))
        let (squared, overflowSquared) = squared.multipliedReportingOverflow(
            by: Int128(identifiers) * Int128(identifiers))
        guard !overflow, !overflowSquared else { throw .overflow }
        return Sensitivity(absolute: absolute, squared: squared)
    }

    private init(absolute: Int128, squared: Int128) {
        self.absolute = absolute
        self.squared = squared
    }
}

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
