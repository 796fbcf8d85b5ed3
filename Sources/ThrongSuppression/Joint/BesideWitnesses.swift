/// How far sensitive cells get in tables of leaves that are tables of unknowns beside them, too, without a program: the unknowns stay
/// what they are, or each moves by as much as its leaves do.
struct BesideWitnesses {
    /// By sensitive column, how far up it gets.
    private(set) var leaves: [ColumnIndex: Int64] = [:]
    /// By sum of unknowns of a sensitive column, what it gets to.
    private(set) var unknowns: [[Int]: Double] = [:]

    /// - Complexity: O(witnesses · (rows + what they change)).
    init(
        _ problem: SuppressionProblem, beside: BesideLeaves, unknownsOfColumn: [ColumnIndex: [[Int]]],
        leavesOfUnknown: [[UInt32]], among witnesses: [SuppressionPattern.Witness]
    ) {
        let columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
        let values = problem.measures[0].values
        for witness in witnesses where witness.measure == 0 && witness.arrivals.isEmpty {
            var moved = Array(repeating: Int64(0), count: problem.leafCount)
            var reached: [UInt32: Int64] = [:]
            for change in witness.changes {
                moved[Int(change.leaf.value)] = change.amount
                for column in columnsOfLeaf[Int(change.leaf.value)] where problem.cells[Int(column)].isSensitive {
                    reached[column, default: 0] += change.amount
                }
            }
            func fits(_ unknowns: [Double]) -> Bool {
                unknowns.allSatisfy { $0 >= 0 }
                    && beside.rows.allSatisfy { row in
                        let sum = row.leaves.reduce(0.0) {
                            $0 + $1.factor * Double(values[Int($1.leaf)] + moved[Int($1.leaf)])
                        }
                        let all = row.unknowns.reduce(sum) { $0 + $1.factor * unknowns[$1.unknown] }
                        return all >= row.lower && all <= row.upper
                    }
            }
            let staying = fits(beside.values)
            let moving = beside.values.indices.map { place in
                leavesOfUnknown[place].reduce(beside.values[place]) { $0 + Double(moved[Int($1)]) }
            }
            let follows = fits(moving)
            guard staying || follows else { continue }
            for (column, amount) in reached {
                let name = ColumnIndex(column)
                leaves[name] = max(leaves[name] ?? 0, amount)
                for own in follows ? unknownsOfColumn[name] ?? [] : [] {
                    unknowns[own] = max(unknowns[own] ?? 0, own.reduce(0) { $0 + moving[$1] })
                }
            }
        }
    }
}
