/// The numbers of one grouping as they were drawn: exact fractions over the number of the table's cells.
///
/// They add up over groupings exactly. Numbers in the same relation, but whole, are ``whole``.
package struct GroupingTable: Hashable, Sendable {
    /// Numerators. Unit: the measure's, over ``denominator``.
    package let cells: [Int128]
    /// Of each field, in order.
    let sizes: [Int]
    /// The number of cells of the table that was drawn.
    package let denominator: Int128

    init(cells: [Int128], sizes: [Int]) {
        (self.cells, self.sizes) = (cells, sizes)
        denominator = Int128(cells.count)
    }

    /// The table of a coarser grouping whose numbers are sums of this one's.
    ///
    /// - Parameters:
    ///   - places: by cell of this table, the cell of the coarser one that it is added to.
    ///   - count: cells of the coarser one.
    package func summed(into places: [Int], count: Int) -> GroupingTable {
        var sums = Array(repeating: Int128(0), count: count)
        for (cell, place) in zip(cells, places) { sums[place] &+= cell }
        return GroupingTable(sums: sums, denominator: denominator)
    }

    private init(sums: [Int128], denominator: Int128) {
        (cells, sizes) = (sums, [sums.count])
        self.denominator = denominator
    }

    /// Whether a drawn number is at least that large, exactly.
    package func isAtLeast(_ number: Int64, at cell: Int) -> Bool { cells[cell] >= Int128(number) * denominator }

    /// Whole numbers next to the drawn ones that add up over all groupings of the lattice.
    ///
    /// Each cumulative sum is rounded to the nearest whole number, halves up, and the numbers are the differences of these. A
    /// coarser grouping's cumulative sums are among those of a finer one, namely at the last buckets of the fields that it leaves
    /// out, so that both round them alike, and neither has to know of the other. A total is whole already.
    /// - Returns: Of a grouping by d fields each number is within 2^(d − 1) of the drawn one: 2^d sums, each off by 1/2.
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

    /// The largest distance between a whole number that may be published and the drawn one, for a margin that says so.
    ///
    /// - Parameters:
    ///   - whole: one number a cell.
    ///   - least: the least number that would be published; where the whole or the drawn one is below, neither counts.
    package func farthest(_ whole: [Int64], from least: Int64 = .min) -> Rational {
        farthest(whole) { whole[$0] >= least && isAtLeast(least, at: $0) }
    }

    /// The same over some cells.
    package func farthest(_ whole: [Int64], where counts: (Int) -> Bool) -> Rational {
        var farthest: UInt128 = 0
        for (cell, (number, drawn)) in zip(whole, cells).enumerated() where counts(cell) {
            farthest = max(farthest, (Int128(number) * denominator - drawn).magnitude)
        }
        let divisor = Rational.greatestCommonDivisor(Int128(farthest), denominator)
        return Rational(reduced: Int128(farthest) / divisor, over: denominator / divisor)
    }
}
