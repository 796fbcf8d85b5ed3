/// The interaction of some fields, times the number of cells of their table: whole numbers whose sum along each field is 0.
///
/// It is made only of a table with its noise, so that whatever is computed from it costs no privacy.
package struct InteractionTable: Hashable, Sendable {
    /// N_S · P_S y. Unit: the measure's, over N_S.
    private(set) var cells: [Int128]

    /// Takes from a noisy table its means along each of its fields.
    ///
    /// - Parameter noisy: the counts by these fields, with both layers of noise added to each cell.
    /// - Throws: ``NoiseError/notOfTheLattice`` for another number of cells.
    /// - Complexity: O(cells · fields).
    package init(_ noisy: [Int64], of set: FieldSet, in lattice: Lattice) throws(NoiseError) {
        guard lattice.interactions.contains(set), noisy.count == lattice.cells(of: set) else { throw .notOfTheLattice }
        var table = noisy.map { Int128($0) }
        Self.centre(&table, sizes: lattice.buckets(of: set))
        cells = table
    }

    /// The interaction of a sum over periods.
    package mutating func add(_ other: InteractionTable) {
        for (cell, number) in other.cells.enumerated() { cells[cell] &+= number }
    }

    /// Takes the means along each axis out of a table and multiplies it by its number of cells.
    static func centre(_ table: inout [Int128], sizes: [Int]) {
        Self.eachLine(of: &table, sizes: sizes) { table, first, step, count in
            var sum: Int128 = 0
            for bucket in 0..<count { sum &+= table[first + bucket * step] }
            for bucket in 0..<count {
                table[first + bucket * step] = Int128(count) &* table[first + bucket * step] &- sum
            }
        }
    }

    /// Visits each line along each axis, the last axis first: where it begins, how far its cells lie apart, and how many they are.
    static func eachLine(
        of table: inout [Int128], sizes: [Int],
        _ change: (UnsafeMutableBufferPointer<Int128>, _ first: Int, _ step: Int, _ count: Int) -> Void
    ) {
        table.withUnsafeMutableBufferPointer { table in
            var step = 1
            for count in sizes.reversed() {
                for block in stride(from: 0, to: table.count, by: step * count) {
                    for first in block..<block + step { change(table, first, step, count) }
                }
                step *= count
            }
        }
    }
}
