/// Margins of one table that were drawn with noise of their own each, and that are to add up.
///
/// Least squares over the table's cells, weighted by the noises' variances, with the table's sum given (Hay, Rastogi, Miklau
/// and Suciu 2010, "Boosting the accuracy of differentially private histograms through consistency"; Li et al. 2015).
/// Everything here looks at drawn numbers only, so it costs no privacy; and it is arithmetic in floating point, of which
/// nothing is claimed but the error that is stated afterwards.
package struct ConsistentTable: Sendable {
    /// Unit: cells.
    let cells: Int
    let groupings: [Grouping]

    /// One margin of the table.
    package struct Grouping: Sendable {
        /// Unit: cells.
        let cells: Int
        /// By cell of the table: which cell of the margin holds it.
        let places: [Int32]
        /// Of each of its numbers.
        let noise: NoiseDistribution
        /// 1 / the noise's variance, as a share of that of the margin with least noise.
        var weight = 1.0

        /// Describes a margin.
        ///
        /// - Parameter places: by cell of the table, 0 to `cells` − 1.
        package init(cells: Int, places: [Int32], noise: NoiseDistribution) {
            self.cells = cells
            self.places = places
            self.noise = noise
        }
    }

    /// Puts a table together.
    ///
    /// - Parameters:
    ///   - cells: of the table itself, which need not be released. Unit: cells.
    ///   - groupings: the margins that are, without the total.
    package init(cells: Int, groupings: [Grouping]) {
        precondition(groupings.allSatisfy { $0.places.count == cells }, "every cell of the table is in each margin")
        self.cells = cells
        let least = groupings.map(\.noise.variance).min() ?? 1
        self.groupings = groupings.map { grouping in
            var weighted = grouping
            weighted.weight = least / grouping.noise.variance
            return weighted
        }
    }

    /// Sums of the table's cells in each margin.
    func sums<Number: AdditiveArithmetic>(_ table: [Number]) -> [[Number]] {
        groupings.map { grouping in
            var sums = Array(repeating: Number.zero, count: grouping.cells)
            for (value, place) in zip(table, grouping.places) { sums[Int(place)] += value }
            return sums
        }
    }
}

extension ConsistentTable {
    /// The table that fits drawn margins best among those with that sum, negative numbers allowed.
    ///
    /// Conjugate gradients on the tables whose numbers add up to nothing. The margins of a full table have few different
    /// eigenvalues, at most one for each set of dimensions, and as many steps are exact but for rounding.
    /// - Parameter drawn: one number a cell of each margin.
    /// - Complexity: O(steps × cells × margins), 200 steps at most.
    func fit(_ drawn: [[Double]], total: Double) -> [Double] {
        let even = Array(repeating: total / Double(cells), count: cells)
        guard cells > 1, !groupings.isEmpty else { return even }
        var table = Array(repeating: 0.0, count: cells)
        var residual = Self.centred(spread(zip(drawn, sums(even)).map { zip($0, $1).map { $0 - $1 } }))
        var direction = residual
        var size = Self.product(residual, residual)
        let enough = size * 1e-24
        for _ in 0..<200 where size > enough {
            let image = Self.centred(spread(sums(direction)))
            let curve = Self.product(direction, image)
            guard curve > 0 else { break }
            let step = size / curve
            for cell in table.indices {
                table[cell] += step * direction[cell]
                residual[cell] -= step * image[cell]
            }
            let next = Self.product(residual, residual)
            for cell in direction.indices { direction[cell] = residual[cell] + next / size * direction[cell] }
            size = next
        }
        return zip(table, even).map { $0 + $1 }
    }

    /// The table that fits drawn margins best among those with that sum and no negative number.
    ///
    /// Accelerated projected gradient (Beck and Teboulle 2009), started anew where it overshoots (O'Donoghue and Candès
    /// 2015), from what fits best without bounds.
    /// - Parameters:
    ///   - drawn: one number a cell of each margin.
    ///   - total: 0 or more.
    ///   - start: what ``fit(_:total:)`` gave.
    /// - Returns: near the best, which nothing that is claimed depends on.
    /// - Complexity: O(steps × cells × margins), 300 steps at most.
    func fitNonNegative(_ drawn: [[Double]], total: Double, from start: [Double]) -> [Double] {
        var table = start
        Self.project(&table, to: total)
        guard cells > 1, !groupings.isEmpty, start.contains(where: { $0 < 0 }) else { return table }
        // The gradient grows at most as fast as the largest block of the sum of all AᵀA.
        let bound = groupings.reduce(0) { $0 + $1.weight * Double(largestBlock(of: $1)) }
        var ahead = table
        var momentum = 1.0
        for _ in 0..<300 {
            let gradient = spread(zip(sums(ahead), drawn).map { zip($0, $1).map { $0 - $1 } })
            var next = zip(ahead, gradient).map { $0 - $1 / bound }
            Self.project(&next, to: total)
            var (farthest, against) = (0.0, 0.0)
            for cell in next.indices {
                let moved = next[cell] - table[cell]
                farthest = max(farthest, abs(moved))
                against += (ahead[cell] - next[cell]) * moved
            }
            let following = against > 0 ? 1 : (1 + (1 + 4 * momentum * momentum).squareRoot()) / 2
            let push = against > 0 ? 0 : (momentum - 1) / following
            for cell in next.indices { ahead[cell] = next[cell] + push * (next[cell] - table[cell]) }
            momentum = following
            table = next
            if farthest < 0.0005 { break }
        }
        return table
    }

    /// Every margin's numbers given to all cells that they hold, times the margin's weight: Aᵀ of each, added up.
    private func spread(_ margins: [[Double]]) -> [Double] {
        var table = Array(repeating: 0.0, count: cells)
        for (grouping, numbers) in zip(groupings, margins) {
            let weighted = numbers.map { $0 * grouping.weight }
            for (cell, place) in grouping.places.enumerated() { table[cell] += weighted[Int(place)] }
        }
        return table
    }

    private func largestBlock(of grouping: Grouping) -> Int {
        var sizes = Array(repeating: 0, count: grouping.cells)
        for place in grouping.places { sizes[Int(place)] += 1 }
        return sizes.max() ?? 1
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
        var sum = 0.0
        for cell in left.indices { sum += left[cell] * right[cell] }
        return sum
    }

    /// The nearest table whose numbers add up to nothing.
    private static func centred(_ table: [Double]) -> [Double] {
        let mean = table.reduce(0, +) / Double(table.count)
        return table.map { $0 - mean }
    }

    /// The nearest table of numbers from 0 on with that sum: all are lowered by the same, and none below 0 (Michelot 1986).
    private static func project(_ table: inout [Double], to total: Double) {
        guard total > 0 else {
            table = Array(repeating: 0, count: table.count)
            return
        }
        var (sum, count) = (table.reduce(0, +), table.count)
        var level = (sum - total) / Double(count)
        while true {
            let (before, above) = (count, table.lazy.filter { $0 > level })
            (sum, count) = above.reduce(into: (0.0, 0)) { $0 = ($0.0 + $1, $0.1 + 1) }
            // The largest is above the level always; only rounding could say otherwise.
            guard count > 0, count < before else { break }
            level = (sum - total) / Double(count)
        }
        for cell in table.indices { table[cell] = max(0, table[cell] - level) }
    }
}
