internal import CCoin

/// A linear or integer program, to be minimised, in the form that CLP and CBC read: the matrix by columns.
///
/// Floating point is used for the search only: an answer is rounded and checked in whole numbers before it counts.
struct CoinProgram {
    var columnLower: [Double] = []
    var columnUpper: [Double] = []
    var objective: [Double] = []
    var rowLower: [Double] = []
    var rowUpper: [Double] = []
    /// The first entry of each column; one more than there are columns.
    private(set) var starts: [Int32] = [0]
    private(set) var rowIndices: [Int32] = []
    private(set) var coefficients: [Double] = []

    /// The outcome of CLP.
    enum LinearAnswer {
        /// A cheapest point, by column.
        case optimal(solution: [Double])
        /// There is none: this combination of rows, by row, contradicts itself (Farkas).
        case infeasible(ray: [Double])
        /// The budget was used up, or CLP gave up.
        case undecided
    }

    /// The outcome of CBC.
    enum IntegerAnswer {
        /// A best table, proved so.
        case optimal(solution: [Double])
        /// A table that may not be the best, but all that the budget allowed.
        case feasible(solution: [Double])
        /// There is none.
        case infeasible
        /// The budget was used up.
        case undecided

        /// The table, if there is one, the best or not.
        var solution: [Double]? {
            switch self {
            case .optimal(let solution), .feasible(let solution): solution
            case .infeasible, .undecided: nil
            }
        }
    }

    /// Adds a variable; its rows may be added before or after.
    mutating func addColumn(lower: Double, upper: Double, cost: Double, entries: [(row: Int, coefficient: Double)]) {
        columnLower.append(lower)
        columnUpper.append(upper)
        objective.append(cost)
        for entry in entries {
            rowIndices.append(Int32(entry.row))
            coefficients.append(entry.coefficient)
        }
        starts.append(Int32(rowIndices.count))
    }

    /// Adds a constraint; its entries come with the columns.
    mutating func addRow(lower: Double, upper: Double) {
        rowLower.append(lower)
        rowUpper.append(upper)
    }

    /// Finds the optimum over real numbers.
    ///
    /// The dual simplex does it: with costs of at least zero the empty basis is dual feasible, and a goal that a few
    /// moves can reach takes a few pivots, however large the neighbourhood is.
    func solveLinear(_ budget: SolverBudget) -> LinearAnswer {
        guard let model = Clp_newModel() else { return .undecided }
        var isWhole = true
        defer { if isWhole { Clp_deleteModel(model) } }
        Clp_setLogLevel(model, 0)
        Clp_loadProblem(
            model, Int32(columnLower.count), Int32(rowLower.count), starts, rowIndices, coefficients, columnLower,
            columnUpper,
            objective, rowLower, rowUpper)
        Clp_scaling(model, 0)
        Clp_setMaximumIterations(model, budget.iterations)
        Clp_setMaximumSeconds(model, budget.remainingSeconds)
        isWhole = throng_clp_dual(model)
        guard isWhole else { return .undecided }
        switch Clp_status(model) {
        case 0:
            guard let solution = Clp_getColSolution(model) else { return .undecided }
            return .optimal(solution: Array(UnsafeBufferPointer(start: solution, count: columnLower.count)))
        case 1:
            guard let ray = Clp_infeasibilityRay(model) else { return .infeasible(ray: []) }
            defer { Clp_freeRay(model, ray) }
            return .infeasible(ray: Array(UnsafeBufferPointer(start: ray, count: rowLower.count)))
        default:
            return .undecided
        }
    }

    /// Finds the optimum over whole numbers.
    func solveInteger(_ budget: SolverBudget) -> IntegerAnswer { SolverTurn.take { solveIntegerAlone(budget) } }

    private func solveIntegerAlone(_ budget: SolverBudget) -> IntegerAnswer {
        guard let model = Cbc_newModel() else { return .undecided }
        var isWhole = true
        defer { if isWhole { Cbc_deleteModel(model) } }
        Cbc_setLogLevel(model, 0)
        Cbc_setParameter(model, "log", "0")
        // CBC counts processor seconds unless told; a deadline is one of the clock.
        Cbc_setParameter(model, "timeMode", "elapsed")
        // Strong branching by pseudo costs reads beyond its list where nothing is left to branch on, and ends the process.
        Cbc_setParameter(model, "strongBranching", "0")
        Cbc_setParameter(model, "trustPseudoCosts", "0")
        Cbc_loadProblem(
            model, Int32(columnLower.count), Int32(rowLower.count), starts, rowIndices, coefficients, columnLower,
            columnUpper,
            objective, rowLower, rowUpper)
        for column in columnLower.indices { Cbc_setInteger(model, Int32(column)) }
        Cbc_setMaximumNodes(model, budget.nodes)
        Cbc_setMaximumSeconds(model, budget.remainingSeconds)
        isWhole = throng_cbc_solve(model)
        guard isWhole else { return .undecided }
        if Cbc_isProvenInfeasible(model) != 0 { return .infeasible }
        // A limit may still leave a best table found so far; only a proved optimum is returned as such.
        guard Cbc_isProvenOptimal(model) != 0, let solution = Cbc_getColSolution(model) else {
            guard let solution = Cbc_bestSolution(model) else { return .undecided }
            return .feasible(solution: Array(UnsafeBufferPointer(start: solution, count: columnLower.count)))
        }
        return .optimal(solution: Array(UnsafeBufferPointer(start: solution, count: columnLower.count)))
    }
}

/// The limits of one linear or integer program.
///
/// They are counted in the solvers' own steps, so that the same seed gives the same pattern on a busy machine and on an
/// idle one. Only the deadline of the whole search is a time.
struct SolverBudget {
    /// Pivots of the simplex. Local programs take some hundred.
    let iterations: Int32 = 20_000
    /// Nodes of the branch and bound. Local programs take a few.
    var nodes: Int32 = 2_000
    /// The end of the whole search.
    var deadline: ContinuousClock.Instant

    /// The time until the deadline, at least a moment. Unit: seconds.
    var remainingSeconds: Double { max(0.01, (deadline - ContinuousClock().now) / .seconds(1)) }
}

/// One integer program at a time in this process: CBC's C interface has global state.
package enum SolverTurn {
    /// Runs CBC while nobody else does.
    package static func take<Result>(_ body: () -> Result) -> Result {
        throng_coin_enter()
        defer { throng_coin_leave() }
        return body()
    }
}
