package import ThrongPlan

/// The two largest contributions to a sum of a tracked cell in one window, as a daemon knows them: how much, never whose.
///
/// A contribution is what one identifier added in the window, by all of its events together. Where a sum can be negative,
/// it is measured from the lowest value on: see `SumMeasure.contributionShift`. Not a delta: the pair replaces the one
/// that was flushed before, and it never gets smaller.
package struct TopContribution: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    /// First second of the period. Unit: Unix seconds.
    package let periodStart: Int64
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// Which sum of the cell; never the count.
    package let measure: MeasureIndex
    /// The window.
    package let window: WindowNumber
    /// Unit: 10^-decimals of the sum's unit; not negative, saturated.
    package let largest: Int64
    /// 0 where one identifier was alone. Unit: as ``largest``, which it does not exceed.
    package let second: Int64

    /// Puts a pair together.
    package init(
        layout: Int,
        periodStart: Int64,
        margin: Margin,
        cell: CellIndex,
        measure: MeasureIndex,
        window: WindowNumber,
        largest: Int64,
        second: Int64
    ) {
        self.layout = layout
        self.periodStart = periodStart
        self.margin = margin
        self.cell = cell
        self.measure = measure
        self.window = window
        self.largest = largest
        self.second = second
    }
}
