/// The rule for publishing a cell: it has k devices or more, and its drawn number says so, too.
///
/// A cell of fewer than k devices is never published, and one of exactly k with a chance of 1/40 at most, since its
/// noise has to reach the margin. The whole number that is shown and the exact one that was drawn both have to reach
/// it, so that no step after the draw can raise the chance.
package struct PublicationRule: Sendable, Hashable {
    /// k. Unit: devices.
    package let threshold: Int64
    /// m, from ``GroupingMargin/publication`` of the grouping's devices.
    package let margin: Int64

    package init(threshold: Int64, margin: Int64) {
        (self.threshold, self.margin) = (threshold, margin)
    }

    /// The least number that is published.
    package var least: Int64 { threshold + margin }

    /// True if a cell is published.
    ///
    /// - Parameters:
    ///   - floor: the number of devices that are proved to be behind it.
    ///   - whole: its number of devices as it would be shown.
    package func publishes(floor: Int64, whole: Int64, drawn: GroupingTable, at cell: Int) -> Bool {
        floor >= threshold && whole >= least && drawn.isAtLeast(least, at: cell)
    }
}
