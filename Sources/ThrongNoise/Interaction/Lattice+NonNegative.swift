extension Lattice {
    /// Returns whole numbers of all groupings, none below 0, that add up.
    ///
    /// A table is settled after those that it has to add up to, from the total down: numbers below 0 become 0, and the
    /// excess that its sums then have is taken from the same lines. Numbers that are too small to be published give 64
    /// times as readily, so that the others hardly move. The table by all fields, which is fitted to the largest tables if
    /// nothing of it was drawn, is made whole last, and every grouping is a sum of it. Everything looks at drawn numbers
    /// only. A table by three fields or more may not fit all its sums without a number below 0; these then move a little.
    /// - Parameters:
    ///   - drawn: all interactions.
    ///   - steady: the least number that would be published.
    /// - Throws: ``NoiseError/notOfTheLattice`` if an interaction is missing, and
    ///   ``NoiseError/tooManyCells(found:limit:)`` if a table by all fields has too many cells.
    /// - Complexity: O(cells · fields) for each of 300 rounds at most.
    package func nonNegative(
        from drawn: [FieldSet: InteractionTable], steady: Int64
    ) throws(NoiseError) -> [FieldSet: [Int64]] {
        try checkUsedFields()
        let all = usedFields
        var settled: [FieldSet: [Double]] = [:]
        for set in interactions {
            let parts = interactions.filter { $0.isSubset(of: set) }
            let table = try sum(over: set, of: parts, from: drawn)
            let start = table.cells.map { Double($0) / Double(table.denominator) }
            let largest = Self.largest(of: parts.filter { $0 != set })
            settled[set] = settle(start, of: set, to: largest, settled, steady: Double(steady))
        }
        if settled[all] == nil { settled[all] = fit(to: Self.largest(of: interactions), of: all, settled) }
        let whole = rounded(settled, of: all)
        var numbers: [FieldSet: [Int64]] = [:]
        for grouping in groupings {
            var cells = Array(repeating: Int64(0), count: cells(of: grouping))
            for (number, place) in zip(whole, places(of: all, in: grouping)) { cells[Int(place)] += number }
            numbers[grouping] = cells
        }
        return numbers
    }

    /// The largest of some parts: all others' numbers are sums of theirs.
    private static func largest(of parts: [FieldSet]) -> [FieldSet] {
        parts.filter { part in !parts.contains { $0 != part && part.isSubset(of: $0) } }
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
        let sums = sums(of: set, by: parts, settled)
        let weights = sums.map { Self.sum(ease, by: $0.places, of: $0.target.count) }
        var table = start
        for _ in 0..<300 {
            var farthest = 0.0
            for (sum, weight) in zip(sums, weights) {
                let (found, free) = Self.held(table, ease, by: sum.places, of: sum.target.count)
                var pull = sum.target
                for line in pull.indices {
                    let lack = pull[line] - found[line]
                    farthest = max(farthest, abs(lack))
                    // Numbers that are 0 give nothing: with them the others would hardly move.
                    let movable = lack < 0 ? free[line] : weight[line]
                    pull[line] = movable > 0 ? lack / movable : 0
                }
                for cell in table.indices {
                    table[cell] = max(0, table[cell] + ease[cell] * pull[Int(sum.places[cell])])
                }
            }
            if farthest < 0.05 { break }
        }
        return table
    }

    /// Returns the evenest table with the sums of the parts, for a table of which nothing was drawn but these: it is
    /// scaled to one part's sums after the other (Deming and Stephan 1940).
    private func fit(to parts: [FieldSet], of set: FieldSet, _ settled: [FieldSet: [Double]]) -> [Double] {
        var table = Array(repeating: 1.0, count: cells(of: set))
        let sums = sums(of: set, by: parts, settled)
        for _ in 0..<300 {
            var farthest = 0.0
            for sum in sums {
                let found = Self.sum(table, by: sum.places, of: sum.target.count)
                let scales = zip(sum.target, found).map { target, found in
                    farthest = max(farthest, abs(target - found))
                    return found > 0 ? target / found : 0
                }
                for cell in table.indices { table[cell] *= scales[Int(sum.places[cell])] }
            }
            if farthest < 0.05 { break }
        }
        return table
    }

    private func sums(
        of set: FieldSet, by parts: [FieldSet], _ settled: [FieldSet: [Double]]
    ) -> [(places: [Int32], target: [Double])] {
        parts.map { (places: places(of: set, in: $0), target: settled[$0] ?? []) }
    }

    /// Returns by line the sum of a table, and the weight of the numbers above 0.
    private static func held(
        _ table: [Double], _ ease: [Double], by places: [Int32], of count: Int
    ) -> (found: [Double], free: [Double]) {
        var (found, free) = (Array(repeating: 0.0, count: count), Array(repeating: 0.0, count: count))
        for cell in table.indices {
            guard table[cell] > 0 else { continue }
            found[Int(places[cell])] += table[cell]
            free[Int(places[cell])] += ease[cell]
        }
        return (found, free)
    }

    private static func sum(_ table: [Double], by places: [Int32], of count: Int) -> [Double] {
        var sums = Array(repeating: 0.0, count: count)
        for (value, place) in zip(table, places) { sums[Int(place)] += value }
        return sums
    }
}
