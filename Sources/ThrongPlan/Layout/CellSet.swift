/// Some cells of one margin, a bit each.
package struct CellSet: Sendable, Hashable {
    private var words: [UInt64]

    /// No cell of a margin of so many.
    package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    /// Adds a cell.
    package mutating func insert(_ cell: CellIndex) { words[Int(cell.value >> 6)] |= 1 << UInt64(cell.value & 63) }

    /// Whether a cell is among them.
    package func contains(_ cell: CellIndex) -> Bool { words[Int(cell.value >> 6)] & 1 << UInt64(cell.value & 63) != 0 }
}
