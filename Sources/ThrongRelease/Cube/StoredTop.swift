package import ThrongPlan

/// The two largest contributions to one sum of one tracked cell in one window, over all daemons.
///
/// A contribution is what one identifier added in the window, `SumMeasure.contributionShift` per event included.
package struct StoredTop: Sendable, Hashable {
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// Which sum; never the count.
    package let measure: MeasureIndex
    /// The window.
    package let window: WindowNumber
    /// Unit: 10^-decimals of the sum's unit; not negative, saturated.
    package let largest: Int64
    /// 0 where there is none. Unit: as ``largest``, which it does not exceed.
    package let second: Int64

    /// Puts a pair together.
    package init(
        margin: Margin,
        cell: CellIndex,
        measure: MeasureIndex,
        window: WindowNumber,
        largest: Int64,
        second: Int64
    ) {
        self.margin = margin
        self.cell = cell
        self.measure = measure
        self.window = window
        self.largest = largest
        self.second = second
    }
}
