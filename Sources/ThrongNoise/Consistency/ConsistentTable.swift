/// Groupings of one table whose numbers are to add up once they are whole.
struct ConsistentTable: Sendable {
    /// Unit: cells.
    let cells: Int
    let groupings: [Grouping]

    /// One grouping of the table.
    struct Grouping: Sendable {
        /// Unit: cells.
        let cells: Int
        /// By cell of the table: which cell of the grouping holds it, 0 to `cells` − 1.
        let places: [Int32]
    }

    /// Puts a table together.
    ///
    /// - Parameters:
    ///   - cells: of the table itself. Unit: cells.
    ///   - groupings: without the total.
    init(cells: Int, groupings: [Grouping]) {
        precondition(groupings.allSatisfy { $0.places.count == cells }, "every cell of the table is in each grouping")
        self.cells = cells
        self.groupings = groupings
    }
}
