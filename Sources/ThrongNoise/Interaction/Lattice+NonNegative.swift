extension Lattice {
    /// Returns whole numbers of all groupings, none below 0, that add up.
    ///
    /// A table is settled after those that it has to add up to, from the total down: numbers below 0 become 0, and the
    /// excess that its sums then have is taken from the same lines. Numbers that are too small to be published give 64
    /// times as readily, so that the others hardly move. The table by all fields is made whole last, and every grouping
    /// is a sum of it. Everything looks at drawn numbers only. A table by three fields or more may not fit all its sums
    /// without a number below 0; these then move a little.
    /// - Parameters:
    ///   - drawn: all interactions.
    ///   - steady: the least number that would be published.
    /// - Throws: ``NoiseError/notOfTheLattice`` if an interaction is missing, and
    ///   ``NoiseError/tooManyCells(found:limit:)`` if a table by all fields has too many cells.
    /// - Complexity: O(cells · fields) for each of 100 rounds at most.
    package func nonNegative(
        from drawn: [FieldSet: InteractionTable], steady: Int64
    ) throws(NoiseError) -> [FieldSet: [Int64]] {
        try checkUsedFields()
        let all = usedFields
        var settled: [FieldSet: [Double]] = [:]
        for set in interactions + (interactions.contains(all) ? [] : [all]) {
            let parts = interactions.filter { $0.isSubset(of: set) }
            let table = try sum(over: set, of: parts, from: drawn)
            let start = table.cells.map { Double($0) / Double(table.denominator) }
            // The largest proper parts: all others are sums of theirs.
            let proper = parts.filter { $0 != set }
            let largest = proper.filter { part in !proper.contains { $0 != part && part.isSubset(of: $0) } }
            settled[set] = settle(start, of: set, to: largest, settled, steady: Double(steady))
        }
        let whole = rounded(settled, of: all)
        var numbers: [FieldSet: [Int64]] = [:]
        for grouping in groupings {
            var cells = Array(repeating: Int64(0), count: cells(of: grouping))
            for (number, place) in zip(whole, places(of: all, in: grouping)) { cells[Int(place)] += number }
            numbers[grouping] = cells
        }
        return numbers
    }

    /// Returns whole numbers from 0 on next to those of a settled table, with sums next to the settled ones. After a
    /// first pass, single numbers are raised or lowered by 1 as long as that brings all together nearer, in squares,
    /// where the total counts eight times.
    private func rounded(_ settled: [FieldSet: [Double]], of set: FieldSet) -> [Int64] {
        let table = settled[set] ?? []
        let total = settled[[]]?.first ?? 0
        let parts = interactions.filter { $0 != set && $0.count > 0 }
        let groupings = parts.map { part in
            ConsistentTable.Grouping(cells: cells(of: part), places: places(of: set, in: part))
        }
        let start = ConsistentTable(cells: table.count, groupings: groupings)
            .rounded(table, total: Int64(exactly: table.reduce(0, +).rounded()) ?? .max)
        var whole = start.map { Double($0) }
        var owed = zip(parts, groupings).map { part, grouping in
            zip(settled[part] ?? [], Self.sum(whole, by: grouping.places, of: grouping.cells)).map { $0 - $1 }
        }
        var owedInAll = total - whole.reduce(0, +)
        let half = Double(groupings.count + 1 + 8) / 2
        let step = Self.step(of: table.count)
        for _ in 0..<30 {
            var moves = 0
            var cell = 0
            for _ in table.indices {
                cell = (cell + step) % table.count
                var pull = table[cell] - whole[cell] + 8 * owedInAll
                for place in groupings.indices { pull += owed[place][Int(groupings[place].places[cell])] }
                guard pull > half || pull < -half && whole[cell] > 0 else { continue }
                let change = pull > 0 ? 1.0 : -1.0
                whole[cell] += change
                owedInAll -= change
                for place in groupings.indices { owed[place][Int(groupings[place].places[cell])] -= change }
                moves += 1
            }
            if moves == 0 { break }
        }
        return whole.map { Int64($0) }
    }

    /// Returns a step from cell to cell that visits each once and neighbours far apart: near the golden section,
    /// without a common divisor.
    private static func step(of cells: Int) -> Int {
        var step = max(1, cells * 618 / 1000)
        while Rational.greatestCommonDivisor(Int128(step), Int128(cells)) != 1 { step += 1 }
        return step
    }

    /// Finds a table from 0 on whose sums come as near to those of the parts as they can. It projects in turn onto the
    /// tables with a part's sums and onto those without a negative number, in the metric of the weights (Bregman 1965).
    private func settle(
        _ start: [Double], of set: FieldSet, to parts: [FieldSet], _ settled: [FieldSet: [Double]], steady: Double
    ) -> [Double] {
        guard !parts.isEmpty else { return start.map { max(0, $0) } }
        let ease = start.map { $0 < steady ? 64.0 : 1.0 }
        let sums = parts.map { part in
            (places: places(of: set, in: part), target: settled[part] ?? [])
        }
        let weights = sums.map { Self.sum(ease, by: $0.places, of: $0.target.count) }
        var table = start
        for _ in 0..<100 {
            var farthest = 0.0
            for (sum, weight) in zip(sums, weights) {
                let found = Self.sum(table, by: sum.places, of: sum.target.count)
                var pull = sum.target
                for cell in pull.indices {
                    let lack = pull[cell] - found[cell]
                    farthest = max(farthest, abs(lack))
                    pull[cell] = lack / weight[cell]
                }
                for cell in table.indices {
                    table[cell] = max(0, table[cell] + ease[cell] * pull[Int(sum.places[cell])])
                }
            }
            if farthest < 0.05 { break }
        }
        return table
    }

    private static func sum(_ table: [Double], by places: [Int32], of count: Int) -> [Double] {
        var sums = Array(repeating: 0.0, count: count)
        for (value, place) in zip(table, places) { sums[Int(place)] += value }
        return sums
    }
}
