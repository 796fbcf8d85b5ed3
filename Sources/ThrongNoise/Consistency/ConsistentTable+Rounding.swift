extension ConsistentTable {
    /// Returns whole numbers from 0 on near a table's, with exactly that sum, whose groupings are near the table's,
    /// too.
    ///
    /// Each cell is rounded up or down, whichever keeps what its groupings have been given so far nearer to what they should
    /// have: a cell alone is off by less than 1, and a grouping's sum of many cells by a few.
    /// - Parameters:
    ///   - table: numbers from 0 on.
    ///   - total: the sum of the table's numbers, apart from what the arithmetic loses.
    /// - Complexity: O(cells × groupings).
    func rounded(_ table: [Double], total: Int64) -> [Int64] {
        var owed = groupings.map { Array(repeating: 0.0, count: $0.cells) }
        let weights = groupings.map { min(4, Double(cells) / Double(max(1, $0.cells))) }
        var owedInAll = 0.0
        var whole: [Int64] = []
        whole.reserveCapacity(table.count)
        for (cell, value) in table.enumerated() {
            let below = value.rounded(.down)
            let rest = value - below
            var pull = 4 * (owedInAll + rest - 0.5)
            for (place, grouping) in groupings.enumerated() {
                pull += weights[place] * (owed[place][Int(grouping.places[cell])] + rest - 0.5)
            }
            // A number that is whole, apart from what the arithmetic loses, stays whole: empty cells stay empty.
            let isUp = rest > 0.999 || rest > 0.001 && pull > 0
            whole.append((Int64(exactly: below) ?? .max / 2) + (isUp ? 1 : 0))
            owedInAll += isUp ? rest - 1 : rest
            for (place, grouping) in groupings.enumerated() {
                owed[place][Int(grouping.places[cell])] += isUp ? rest - 1 : rest
            }
        }
        settle(&whole, to: total, owed: owed)
        return whole
    }

    /// Gives what the sum still lacks, or takes what it has too much, in the cells whose groupings call for it most.
    private func settle(_ whole: inout [Int64], to total: Int64, owed: [[Double]]) {
        var owed = owed
        var lack = total &- whole.reduce(0, &+)
        // Sums beyond 2^53 have no units in floating point: their largest number takes the difference.
        if lack.magnitude > UInt64(cells), let largest = whole.indices.max(by: { whole[$0] < whole[$1] }),
            whole[largest] + lack >= 0
        {
            whole[largest] += lack
            return
        }
        while lack != 0 {
            let step: Int64 = lack > 0 ? 1 : -1
            func claim(_ cell: Int) -> Double {
                Double(step) * groupings.indices.reduce(0) { $0 + owed[$1][Int(groupings[$1].places[cell])] }
            }
            // If all cells are 0, nothing can be taken: the sum is 0 then, and so is what it lacks.
            guard
                let taken = whole.indices.filter({ whole[$0] + step >= 0 }).max(by: { claim($0) < claim($1) })
            else { return }
            whole[taken] += step
            lack -= step
            for (place, grouping) in groupings.enumerated() {
                owed[place][Int(grouping.places[taken])] -= Double(step)
            }
        }
    }
}
