extension MetricLayout {
    /// One place of the declared universe.
    package struct DeclaredCell: Sendable, Hashable {
        /// Which dimensions are kept.
        package let margin: Margin
        /// Which cell of that margin.
        package let cell: CellIndex

        /// Names a place.
        package init(margin: Margin, cell: CellIndex) {
            self.margin = margin
            self.cell = cell
        }
    }

    /// The cells of these groupings but for those that the plan declares to be impossible: whatever came, each gets a
    /// number of a noisy release, in this order.
    ///
    /// - Complexity: O(cells), times the impossible combinations where there are any.
    package func declaredCells(of groupings: [Margin]) -> [DeclaredCell] {
        groupings.flatMap { margin in
            (0..<UInt32(size(of: margin))).lazy.map { CellIndex($0) }.filter { !isImpossible($0, in: margin) }
                .map { DeclaredCell(margin: margin, cell: $0) }
        }
    }
}
