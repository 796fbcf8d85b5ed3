/// Groupings of one table whose numbers are to add up once they are whole.
struct ConsistentTable: Sendable {
    /// The number of the table's cells. Unit: cells.
    let cells: Int
    let groupings: [Grouping]

    /// One grouping of the table.
    struct Grouping: Sendable {
        /// The number of the grouping's cells. Unit: cells.
        let cells: Int
        /// The cell of the grouping that holds each cell of the table: 0 to `cells` − 1.
        let places: [Int32]
    }

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - cells: the number of the table's cells. Unit: cells.
    ///   - groupings: the table's groupings without the total.
    init(cells: Int, groupings: [Grouping]) {
        precondition(groupings.allSatisfy { $0.places.count == cells }, "every cell of the table is in each grouping")
        self.cells = cells
        self.groupings = groupings
    }
}
