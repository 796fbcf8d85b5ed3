/// The numbers of one grouping as they were drawn: exact fractions over the number of the table's cells.
///
/// They add up over groupings exactly. ``whole`` has whole numbers that add up as well.
package struct GroupingTable: Hashable, Sendable {
    /// Numerators. Unit: the measure's, over ``denominator``.
    package let cells: [Int128]
    /// The number of buckets of each field, in order.
    let sizes: [Int]
    /// The number of cells of the table that was drawn.
    package let denominator: Int128

    /// - Parameter denominator: nil for a table that was drawn by itself.
    init(cells: [Int128], sizes: [Int], denominator: Int128? = nil) {
        (self.cells, self.sizes) = (cells, sizes)
        self.denominator = denominator ?? Int128(cells.count)
    }

    /// Returns the table of a coarser grouping whose numbers are sums of this one's.
    ///
    /// - Parameters:
    ///   - places: the cell of the coarser table to which each cell of this one is added.
    ///   - count: the number of the coarser table's cells.
    package func summed(into places: [Int], count: Int) -> GroupingTable {
        var sums = Array(repeating: Int128(0), count: count)
        for (cell, place) in zip(cells, places) { sums[place] &+= cell }
        return GroupingTable(cells: sums, sizes: [count], denominator: denominator)
    }

    /// True if the drawn number is at least that large; an exact comparison.
    package func isAtLeast(_ number: Int64, at cell: Int) -> Bool { cells[cell] >= Int128(number) * denominator }

    /// Whole numbers next to the drawn ones that add up over all groupings of the lattice.
    ///
    /// Each cumulative sum is rounded to the nearest whole number, halves up, and the numbers are the differences of
    /// these. A coarser grouping's cumulative sums are among those of a finer one, namely at the last buckets of the
    /// fields that it leaves out. So both round them alike, and neither has to know of the other. A total is whole
    /// already.
    /// - Returns: numbers within 2^(d − 1) of the drawn ones for a grouping by d fields: 2^d sums, each off by 1/2.
    /// - Complexity: O(cells · fields).
    package var whole: [Int64] {
        var sums = cells
        InteractionTable.eachLine(of: &sums, sizes: sizes) { table, first, step, count in
            for bucket in 1..<count { table[first + bucket * step] &+= table[first + (bucket - 1) * step] }
        }
        let (half, denominator) = (self.denominator, 2 * self.denominator)
        for cell in sums.indices {
            let (quotient, rest) = (2 &* sums[cell] &+ half).quotientAndRemainder(dividingBy: denominator)
            sums[cell] = rest < 0 ? quotient - 1 : quotient
        }
        InteractionTable.eachLine(of: &sums, sizes: sizes) { table, first, step, count in
            for bucket in (1..<count).reversed() { table[first + bucket * step] &-= table[first + (bucket - 1) * step] }
        }
        return sums.map { Int64(clamping: $0) }
    }

    /// Returns the largest distance between a whole number that may be published and the drawn one, for a margin that
    /// takes it in.
    ///
    /// - Parameters:
    ///   - whole: one number for each cell.
    ///   - counts: true for a cell that may be published.
    package func farthest(_ whole: [Int64], where counts: (Int) -> Bool = { _ in true }) -> Rational {
        var farthest: UInt128 = 0
        for (cell, (number, drawn)) in zip(whole, cells).enumerated() where counts(cell) {
            farthest = max(farthest, (Int128(number) * denominator - drawn).magnitude)
        }
        let divisor = Rational.greatestCommonDivisor(Int128(farthest), denominator)
        return Rational(reduced: Int128(farthest) / divisor, over: denominator / divisor)
    }
}

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
