internal import CCoin

/// Plays the attacker on one table: the least and the greatest value of a cell over all non-negative whole tables that
/// agree with everything published, by two integer programs over the whole table.
///
/// Shares nothing with the engine but the problem's description. It is given more than a real attacker has: it knows
/// which leaves are occupied.
package struct IntegerAttacker {
    private let problem: SuppressionProblem
    private let isPublished: [Bool]
    private let columnsOfLeaf: IndexLists

    /// A leaf's largest value where nothing published bounds it.
    private static let ceiling = 1_000_000.0

    /// What it could tell of a cell.
    package struct Bounds: Sendable, Hashable {
        /// The least consistent value.
        package let least: Int64
        /// The greatest, or the ceiling where nothing bounds it.
        package let greatest: Int64
    }

    /// Takes what was published.
    package init(_ problem: SuppressionProblem, isPublished: [Bool]) {
        self.problem = problem
        self.isPublished = isPublished
        columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
    }

    /// Both bounds of a cell, or nil where the solver did not finish within five seconds.
    package func bounds(of column: ColumnIndex, measure: Int) -> Bounds? {
        guard let least = extreme(of: column, measure: measure, sign: 1),
            let greatest = extreme(of: column, measure: measure, sign: -1)
        else { return nil }
        return Bounds(least: least, greatest: greatest)
    }

    /// Why the cell is not protected, or nil where it is. `undecided` where the solver did not finish.
    package func weakness(of column: ColumnIndex, measure: Int) -> Weakness? {
        guard let bounds = bounds(of: column, measure: measure) else { return .undecided }
        let value = problem.value(of: column, measure: measure)
        if bounds.least == bounds.greatest { return .unique }
        if bounds.greatest < problem.threshold { return .provablySmall(bounds) }
        if case .surrounds(let percent) = problem.measures[measure].protection {
            let width = (value * percent + 99) / 100
            if bounds.greatest <= problem.threshold || bounds.greatest < value + width
                || bounds.least > max(0, value - max(problem.threshold, width))
            {
                return .tooClose(bounds)
            }
        }
        return nil
    }

    /// What it found out.
    package enum Weakness: Sendable, Hashable {
        /// Only one value is consistent: L1.
        case unique
        /// Every consistent value is under k: L3.
        case provablySmall(Bounds)
        /// The interval is too narrow around the value: L3 of an additive measure.
        case tooClose(Bounds)
        /// The solver did not finish.
        case undecided
    }

    private func extreme(of column: ColumnIndex, measure: Int, sign: Double) -> Int64? {
        SolverTurn.take { extremeAlone(of: column, measure: measure, sign: sign) }
    }

    private func extremeAlone(of column: ColumnIndex, measure: Int, sign: Double) -> Int64? {
        guard let model = Cbc_newModel() else { return nil }
        defer { Cbc_deleteModel(model) }
        var rowOfColumn: [UInt32: Int32] = [:]
        var sums: [Double] = []
        for place in isPublished.indices where isPublished[place] {
            rowOfColumn[UInt32(place)] = Int32(sums.count)
            sums.append(Double(problem.value(of: ColumnIndex(UInt32(place)), measure: measure)))
        }
        var starts: [Int32] = [0]
        var rows: [Int32] = []
        for leaf in 0..<problem.leafCount {
            for place in columnsOfLeaf[leaf] {
                if let row = rowOfColumn[place] { rows.append(row) }
            }
            starts.append(Int32(rows.count))
        }
        let count = problem.leafCount
        var goal = Array(repeating: 0.0, count: count)
        for leaf in problem.columns[Int(column.value)] { goal[Int(leaf)] = sign }
        Cbc_loadProblem(
            model, Int32(count), Int32(sums.count), starts, rows, Array(repeating: 1, count: rows.count),
            Array(repeating: 0, count: count), Array(repeating: Self.ceiling, count: count), goal, sums, sums)
        for leaf in 0..<count { Cbc_setInteger(model, Int32(leaf)) }
        Cbc_setLogLevel(model, 0)
        Cbc_setParameter(model, "log", "0")
        Cbc_setMaximumSeconds(model, 5)
        _ = Cbc_solve(model)
        guard Cbc_isProvenOptimal(model) != 0 else { return nil }
        return Int64((Cbc_getObjValue(model) * sign).rounded())
    }
}
