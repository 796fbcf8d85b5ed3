/// An attack on one cell, over the leaves near it. It finds a witness that the cell may be larger or smaller, or the
/// combination of published cells that bounds it.
///
/// Leaves outside the neighbourhood are held fixed, which can only make witnesses rarer. A linear program over a whole
/// cube of 90,000 cells takes minutes; over some hundred leaves, milliseconds.
struct LocalAttack {
    let problem: CompactProblem
    let system: PublishedSystem
    let budget: SolverBudget

    /// The outcome for one cell.
    enum Outcome {
        /// Another table.
        case witness(TableChange)
        /// The published columns whose combination bounds the cell, with the dual's coefficients.
        case bounded([(column: UInt32, multiplier: Double)])
        /// Real-valued tables reach the target; whether whole ones do was not asked.
        case fractional
        /// The solvers' budget was used up.
        case undecided
    }

    /// Looks for a witness.
    ///
    /// - Parameters:
    ///   - leafLimit: the most leaves that may move.
    ///   - isWhole: true to ask for whole numbers if the linear program's answer has others.
    func run(_ proof: PatternProof, leafLimit: Int, isWhole: Bool) -> Outcome {
        let neighbourhood = leaves(around: Int(proof.column), limit: leafLimit)
        var program = CoinProgram()
        var rowOfEquation: [UInt32: Int] = [:]
        var equationOfRow: [UInt32] = []
        let rowsOfLeaf = neighbourhood.map { leaf in
            system.equationsOfLeaf[Int(leaf)].map { equation in
                if let row = rowOfEquation[equation] { return row }
                rowOfEquation[equation] = equationOfRow.count
                equationOfRow.append(equation)
                program.addRow(lower: 0, upper: 0)
                return equationOfRow.count - 1
            }
        }
        let goal = equationOfRow.count
        program.addRow(lower: Double(proof.distance), upper: .infinity)
        let own = Set(problem.columns[Int(proof.column)])
        let sign: Double = proof.direction == .up ? 1 : -1
        let values = problem.values[proof.measure]
        // Each leaf's move is what it gains less what it gives. Giving costs most where little is held.
        for direction in [1.0, -1.0] {
            for (place, leaf) in neighbourhood.enumerated() {
                var entries = rowsOfLeaf[place].map { (row: $0, coefficient: direction) }
                if own.contains(leaf) { entries.append((row: goal, coefficient: sign * direction)) }
                let held = Double(values[Int(leaf)])
                program.addColumn(
                    lower: 0, upper: direction > 0 ? .infinity : held, cost: direction > 0 ? 0.01 : 1 / (held + 1),
                    entries: entries)
            }
        }
        switch program.solveLinear(budget) {
        case .undecided:
            return .undecided
        case .infeasible(let ray):
            var named: [(column: UInt32, multiplier: Double)] = []
            for (row, equation) in equationOfRow.enumerated() where row < ray.count {
                if abs(ray[row]) > 1e-7 { named.append((system.equations[Int(equation)], ray[row])) }
            }
            return .bounded(named)
        case .optimal(let solution):
            if let change = checked(solution, neighbourhood, proof) { return .witness(change) }
        }
        guard isWhole else { return .fractional }
        // Any whole point will do.
        for place in program.objective.indices { program.objective[place] = 0 }
        switch program.solveInteger(budget) {
        case .optimal(let solution), .feasible(let solution):
            return checked(solution, neighbourhood, proof).map { .witness($0) } ?? .undecided
        case .infeasible:
            // Real tables reach the target and whole ones do not. The equations around the cell are to blame together.
            return .bounded(
                problem.columns[Int(proof.column)].flatMap { system.equationsOfLeaf[Int($0)] }.map {
                    (system.equations[Int($0)], 1)
                })
        case .undecided:
            return .undecided
        }
    }

    /// Returns active leaves around a cell, breadth first over shared equations, short equations first.
    func leaves(around column: Int, limit: Int) -> [UInt32] {
        var result: [UInt32] = []
        var seen: Set<UInt32> = []
        var seenEquations: Set<UInt32> = []
        var postponed: [UInt32] = []
        for leaf in problem.columns[column] where system.isActive[Int(leaf)] {
            if result.count >= limit { break }
            seen.insert(leaf)
            result.append(leaf)
        }
        var next = 0
        // Long equations tie everything to everything; they get their say when the short ones are used up.
        var longest = 48
        while result.count < limit {
            if next < result.count {
                let leaf = result[next]
                next += 1
                for equation in system.equationsOfLeaf[Int(leaf)] where seenEquations.insert(equation).inserted {
                    if system.leavesOfEquation.length(of: Int(equation)) > longest {
                        postponed.append(equation)
                    } else {
                        visit(equation, &result, &seen, limit: limit)
                    }
                }
            } else if !postponed.isEmpty {
                longest *= 8
                let ready = postponed.filter { system.leavesOfEquation.length(of: Int($0)) <= longest }
                postponed.removeAll { system.leavesOfEquation.length(of: Int($0)) <= longest }
                for equation in ready { visit(equation, &result, &seen, limit: limit) }
            } else {
                break
            }
        }
        return result
    }

    private func visit(_ equation: UInt32, _ result: inout [UInt32], _ seen: inout Set<UInt32>, limit: Int) {
        for leaf in system.leavesOfEquation[Int(equation)] where seen.insert(leaf).inserted {
            if result.count >= limit { return }
            result.append(leaf)
        }
    }

    /// Returns a solver's answer as whole numbers, if it holds exactly.
    private func checked(_ solution: [Double], _ neighbourhood: [UInt32], _ proof: PatternProof) -> TableChange? {
        var steps: [TableChange.Step] = []
        var sums: [UInt32: Int64] = [:]
        var moved: Int64 = 0
        let own = Set(problem.columns[Int(proof.column)])
        for (place, leaf) in neighbourhood.enumerated() {
            let amount = solution[place] - solution[place + neighbourhood.count]
            let rounded = amount.rounded()
            guard abs(rounded - amount) < 1e-5, abs(rounded) < 1e15 else { return nil }
            let whole = Int64(rounded)
            if whole == 0 { continue }
            guard problem.values[proof.measure][Int(leaf)] + whole >= 0 else { return nil }
            for equation in system.equationsOfLeaf[Int(leaf)] { sums[equation, default: 0] += whole }
            if own.contains(leaf) { moved += whole }
            steps.append(TableChange.Step(leaf: leaf, amount: whole))
        }
        guard sums.values.allSatisfy({ $0 == 0 }) else { return nil }
        guard (proof.direction == .up ? moved : -moved) >= proof.distance else { return nil }
        return TableChange(steps: steps)
    }
}
