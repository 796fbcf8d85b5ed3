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
