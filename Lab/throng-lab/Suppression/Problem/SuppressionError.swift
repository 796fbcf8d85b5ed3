/// The reason why no pattern was made.
package enum SuppressionError: Error, Sendable, Hashable {
    /// The problem does not fit together.
    case malformed(Malformation)
    /// Strict mode: these cells carry no proof after the time box.
    case unproved(cells: [ColumnIndex])
    /// Exact mode was asked for a component larger than it handles.
    case tooManyCellsForExactMode(found: Int, limit: Int)
    /// Exact mode did not finish within its time.
    case exactModeTimedOut(seconds: Double)
    /// The solver gave up for a reason of its own.
    case solverFailed

    /// A fault of a problem.
    package enum Malformation: Sendable, Hashable {
        /// There must be at least one measure.
        case noMeasure
        /// The measure has another number of leaves than the first.
        case unequalMeasures(measure: Int)
        /// The measure has a negative leaf.
        case negativeValue(measure: Int)
        /// The measure's total is 2^60 or more.
        case totalTooLarge(measure: Int)
        /// There must be one cell for each column.
        case cellsWithoutColumns
        /// The column's leaves are not ascending, or do not exist.
        case unsortedLeaves(ColumnIndex)
        /// The column costs nothing.
        case costUnderOne(ColumnIndex)
        /// A relation names a column that does not exist.
        case relationOutside
        /// The parent's leaves are not those of its children, each once.
        case relationNotASum(parent: ColumnIndex)
    }
}
