package import ThrongPlan

/// A cell of a release or of one before it.
package struct CellAddress: Sendable, Hashable {
    /// The period that it covers.
    package let period: Period
    /// Which dimensions are kept.
    package let margin: Margin
    /// Which cell of that margin.
    package let cell: CellIndex

    /// Puts an address together.
    package init(period: Period, margin: Margin, cell: CellIndex) {
        self.period = period
        self.margin = margin
        self.cell = cell
    }
}
