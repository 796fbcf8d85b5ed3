internal import CCoin

/// A component in CLP, solved again and again with other objectives from the last basis.
///
/// CLP computes in floating point. Nothing here is a proof: bounds are proved by their duals and tables by
/// ``Component/admits(_:)``, both in whole numbers.
final class LinearProgram {
    private let model: UnsafeMutableRawPointer
    private let columns: Int
    private let rows: Int
    private var wasSolved = false
    /// Whether no assertion of CLP's failed in it.
    private var isWhole = true
    private let isContradictory: Bool

    /// What a solve gave.
    enum Outcome {
        case optimum(value: Double, solution: [Double], duals: [Double])
        case unbounded
        case infeasible
        case undecided
    }

    init?(_ shape: ProgramShape) {
        guard let model = Clp_newModel() else { return nil }
        self.model = model
        columns = shape.columnLower.count
        rows = shape.rowLower.count
        isContradictory = shape.isContradictory
        Clp_setLogLevel(model, 0)
        let none = Array(repeating: 0.0, count: columns)
        Clp_loadProblem(
            model, Int32(columns), Int32(rows), shape.starts, shape.rows, shape.coefficients, shape.columnLower,
            shape.columnUpper, none, shape.rowLower, shape.rowUpper)
    }

    deinit { if isWhole { Clp_deleteModel(model) } }

    /// Maximizes or minimizes Σ weight · unknown.
    func solve(_ terms: [LinearSystem.Term], maximizes: Bool, seconds: Double) -> Outcome {
        if isContradictory { return .infeasible }
        guard isWhole else { return .undecided }
        var objective = Array(repeating: 0.0, count: columns)
        // Maximizing as minimizing the negative keeps one sign convention for the duals.
        for term in terms {
            objective[Int(term.unknown)] = maximizes ? -Double(term.coefficient) : Double(term.coefficient)
        }
        Clp_chgObjCoefficients(model, objective)
        Clp_setObjSense(model, 1)
        Clp_setMaximumSeconds(model, max(0.05, seconds))
        isWhole = wasSolved ? throng_clp_primal(model) : throng_clp_initial_solve(model)
        guard isWhole else { return .undecided }
        wasSolved = true
        if Clp_isProvenPrimalInfeasible(model) != 0 { return .infeasible }
        if Clp_isProvenDualInfeasible(model) != 0 { return .unbounded }
        guard Clp_isProvenOptimal(model) != 0, let solution = Clp_primalColumnSolution(model),
            let duals = Clp_dualRowSolution(model)
        else { return .undecided }
        let sign = maximizes ? -1.0 : 1.0
        return .optimum(
            value: sign * Clp_objectiveValue(model),
            solution: Array(UnsafeBufferPointer(start: solution, count: columns)),
            duals: UnsafeBufferPointer(start: duals, count: rows).map { sign * $0 })
    }
}

/// A component as CLP and CBC take it: columns are unknowns, in compressed column order.
struct ProgramShape {
    private(set) var starts: [Int32]
    private(set) var rows: [Int32]
    private(set) var coefficients: [Double]
    let columnLower: [Double]
    let columnUpper: [Double]
    let rowLower: [Double]
    let rowUpper: [Double]

    /// Whether a row is to be more than it may be: CLP ends the process on those.
    var isContradictory: Bool { zip(rowLower, rowUpper).contains { $0 > $1 } }

    /// - Complexity: O(terms).
    init(_ component: Component) {
        let uses = UnknownUses(unknowns: component.unknowns.count, rows: component.rows.map(\.terms))
        starts = [0]
        rows = []
        coefficients = []
        for unknown in component.unknowns.indices {
            for use in uses[Int32(unknown)] {
                rows.append(Int32(use.row))
                coefficients.append(Double(use.coefficient))
            }
            starts.append(Int32(rows.count))
        }
        columnLower = component.signed.map { $0 ? -Double.greatestFiniteMagnitude : 0 }
        columnUpper = component.signed.map { _ in Double.greatestFiniteMagnitude }
        rowLower = component.rows.map { $0.lower.map(Double.init) ?? -Double.greatestFiniteMagnitude }
        rowUpper = component.rows.map { $0.upper.map(Double.init) ?? Double.greatestFiniteMagnitude }
    }
}
