internal import CCoin

/// One optimum over whole numbers by CBC's branch and bound.
enum IntegerProgram {
    /// What the search gave.
    struct Outcome {
        /// No table of whole numbers goes further. Floating point; nil where unbounded or unknown.
        let bound: Double?
        /// The best table found.
        let solution: [Double]?
        /// Whether there is no table at all.
        let isInfeasible: Bool
    }

    /// Maximizes or minimizes Σ coefficient · unknown.
    static func solve(
        _ shape: ProgramShape, _ terms: [LinearSystem.Term], maximizes: Bool, seconds: Double
    ) -> Outcome {
        if shape.isContradictory { return Outcome(bound: nil, solution: nil, isInfeasible: true) }
        throng_coin_enter()
        defer { throng_coin_leave() }
        guard let model = Cbc_newModel() else { return Outcome(bound: nil, solution: nil, isInfeasible: false) }
        var isWhole = true
        defer { if isWhole { Cbc_deleteModel(model) } }
        let columns = shape.columnLower.count
        var objective = Array(repeating: 0.0, count: columns)
        for term in terms {
            objective[Int(term.unknown)] = maximizes ? -Double(term.coefficient) : Double(term.coefficient)
        }
        Cbc_loadProblem(
            model, Int32(columns), Int32(shape.rowLower.count), shape.starts, shape.rows, shape.coefficients,
            shape.columnLower, shape.columnUpper, objective, shape.rowLower, shape.rowUpper)
        for column in 0..<Int32(columns) { Cbc_setInteger(model, column) }
        Cbc_setObjSense(model, 1)
        // Counts are whole numbers, so no gap is small enough to stop early.
        Cbc_setAllowableGap(model, 0)
        Cbc_setAllowableFractionGap(model, 0)
        Cbc_setMaximumSeconds(model, max(0.1, seconds))
        // Debian's CBC ends the process by an assertion in some of its heuristics; tables are found without them.
        Cbc_setParameter(model, "heuristicsOnOff", "off")
        // And in branching, on what was whole within the tolerance when it was looked at again.
        Cbc_setParameter(model, "integerTolerance", "1e-9")
        // Strong branching by pseudo costs reads beyond its list where nothing is left to branch on.
        Cbc_setParameter(model, "strongBranching", "0")
        Cbc_setParameter(model, "trustPseudoCosts", "0")
        Cbc_setLogLevel(model, 0)
        isWhole = throng_cbc_solve(model)
        guard isWhole else { return Outcome(bound: nil, solution: nil, isInfeasible: false) }
        if Cbc_isProvenInfeasible(model) != 0 { return Outcome(bound: nil, solution: nil, isInfeasible: true) }
        let sign = maximizes ? -1.0 : 1.0
        let isOptimal = Cbc_isProvenOptimal(model) != 0
        let best = isOptimal ? Cbc_getObjValue(model) : Cbc_getBestPossibleObjValue(model)
        let solution = Cbc_getColSolution(model).map { Array(UnsafeBufferPointer(start: $0, count: columns)) }
        return Outcome(
            bound: abs(best) < 1e15 ? sign * best : nil, solution: isOptimal ? solution : nil, isInfeasible: false)
    }
}
