/// Enumerates every non-negative whole table of contributors that agrees with what is published; for tables of a few leaves.
package struct BruteAttacker {
    private let problem: SuppressionProblem
    private let isPublished: [Bool]
    private let ceiling: Int64

    /// - Parameter ceiling: the largest value tried for a leaf that nothing published bounds.
    package init(_ problem: SuppressionProblem, isPublished: [Bool], ceiling: Int64) {
        self.problem = problem
        self.isPublished = isPublished
        self.ceiling = ceiling
    }

    /// All values that a cell takes in a consistent table, ascending.
    ///
    /// - Complexity: exponential in leaves.
    package func values(of column: ColumnIndex) -> [Int64] {
        let lists = problem.columns.transposed(width: problem.leafCount)
        var rest = isPublished.indices.map {
            isPublished[$0] ? problem.value(of: ColumnIndex(UInt32($0)), measure: 0) : -1
        }
        var missing = isPublished.indices.map { problem.columns.length(of: $0) }
        var table = Array(repeating: Int64(0), count: problem.leafCount)
        var found: Set<Int64> = []
        func visit(_ leaf: Int) {
            if leaf == table.count {
                found.insert(problem.columns[Int(column.value)].reduce(0) { $0 + table[Int($1)] })
                return
            }
            let mine = lists[leaf].map { Int($0) }.filter { isPublished[$0] }
            var least: Int64 = 0
            var most = ceiling
            for place in mine {
                most = min(most, rest[place])
                if missing[place] == 1 { least = max(least, rest[place]) }
            }
            // A leaf that closes a published sum has one value only, which may lie above the ceiling.
            if let closing = mine.first(where: { missing[$0] == 1 }) {
                most = mine.reduce(rest[closing]) { min($0, rest[$1]) }
            }
            if least > most { return }
            for value in least...most {
                table[leaf] = value
                for place in mine {
                    rest[place] -= value
                    missing[place] -= 1
                }
                visit(leaf + 1)
                for place in mine {
                    rest[place] += value
                    missing[place] += 1
                }
            }
        }
        visit(0)
        return found.sorted()
    }
}
