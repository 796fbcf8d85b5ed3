/// An attack on one cell, over the circuits near it. It finds a witness that the cell may be larger or smaller, or the
/// non-negative leaves that bound it.
///
/// Every combination of circuits leaves the published cells alone, so that no equation is left to satisfy. The program
/// has one variable for each circuit and one inequality for each leaf, most of them on a single circuit. In four
/// dimensions that is a fifth of the variables of the same program over leaves, and the simplex takes a step for each
/// circuit where it took one for each leaf: 1 ms instead of 6.
struct CircuitProgram {
    private let problem: CompactProblem
    private let system: PublishedSystem
    private let budget: SolverBudget
    /// The place of each free leaf's circuit in the program that is being made, or −1.
    private var placeOfCircuit: [Int32]
    private var change: [Int64]

    /// The outcome for one cell.
    enum Outcome {
        /// Another table.
        case witness(TableChange)
        /// The cell and these leaves, weighted, have a sum that can be computed from the published cells; since no leaf
        /// is negative, that bounds the cell.
        case bounded([(leaf: UInt32, weight: Double)])
        /// Real-valued tables reach the target; whether whole ones do was not asked, or not found out.
        case fractional
        /// Not all circuits were looked at, or the solvers gave up.
        case undecided
    }

    init(_ problem: CompactProblem, system: PublishedSystem, budget: SolverBudget) {
        self.problem = problem
        self.system = system
        self.budget = budget
        placeOfCircuit = Array(repeating: -1, count: problem.leafCount)
        change = Array(repeating: 0, count: problem.leafCount)
    }

    /// Looks for a witness.
    ///
    /// - Parameters:
    ///   - circuitLimit: the most circuits that may be used.
    ///   - isWhole: true to ask for whole numbers if the linear program's answer has others.
    mutating func run(_ proof: PatternProof, circuitLimit: Int, isWhole: Bool) -> Outcome {
        let outcome = run(proof, circuitLimit: circuitLimit, isWhole: isWhole, grain: 1)
        guard !isWhole, case .fractional = outcome else { return outcome }
        // Corners of these programs are halves and thirds mostly. With all bounds divided, a corner times the divisor is
        // whole; a linear program more is cheaper than an integer one.
        for grain in Self.grains {
            if case .witness(let change) = run(proof, circuitLimit: circuitLimit, isWhole: false, grain: grain) {
                return .witness(change)
            }
        }
        return .fractional
    }

    private static let grains: [Int64] = [2, 3]

    /// - Parameter grain: the unit in whose multiples leaves move.
    private mutating func run(_ proof: PatternProof, circuitLimit: Int, isWhole: Bool, grain: Int64) -> Outcome {
        let movers = system.movers(of: Int(proof.column), in: problem)
        var isComplete = true
        let circuits = select(movers, limit: circuitLimit, isComplete: &isComplete)
        defer { for circuit in circuits { placeOfCircuit[Int(circuit)] = -1 } }
        guard !circuits.isEmpty else { return .undecided }
        var board = CircuitBoard(circuits: circuits.count)
        weigh(circuits, values: problem.values[proof.measure], grain: grain, on: &board)
        aim(at: proof, movers, grain: grain, on: &board)
        board.addColumns()
        switch board.program.solveLinear(budget) {
        case .undecided:
            return .undecided
        case .infeasible(let ray):
            guard isComplete, ray.count == board.leafOfRow.count + 1 else { return .undecided }
            return board.blame(ray)
        case .optimal(let solution):
            if let found = checked(solution, circuits, proof, grain: grain) { return .witness(found) }
        }
        guard isWhole else { return .fractional }
        // Any whole point will do.
        for place in board.program.objective.indices { board.program.objective[place] = 0 }
        if let solution = board.program.solveInteger(budget).solution,
            let found = checked(solution, circuits, proof, grain: 1)
        {
            return .witness(found)
        }
        return .fractional
    }

    /// Adds what each circuit costs and may do to the leaves, without making one negative.
    private func weigh(_ circuits: [UInt32], values: [Int64], grain: Int64, on board: inout CircuitBoard) {
        for (place, circuit) in circuits.enumerated() {
            for step in system.circuit(of: circuit) {
                let held = values[Int(step.leaf)]
                board.cost[place] += 1 / Double(held + 1)
                if isMovedByOthers(step.leaf) {
                    board.add(step, of: place, held: held / grain)
                } else {
                    board.stop(place, by: step, room: held / abs(step.amount) / grain)
                }
            }
        }
    }

    /// True if more than one of the chosen circuits moves a leaf.
    private func isMovedByOthers(_ leaf: UInt32) -> Bool {
        guard !system.basis.isFree[Int(leaf)] else { return false }
        var others = 0
        for term in system.basis.rows[Int(leaf)] where placeOfCircuit[Int(term.leaf)] >= 0 {
            others += 1
            if others > 1 { return true }
        }
        return false
    }

    /// Adds the goal: the cell moves as far as the proof wants.
    private func aim(at proof: PatternProof, _ movers: [TableChange.Step], grain: Int64, on board: inout CircuitBoard) {
        let goal = board.leafOfRow.count
        let sign: Double = proof.direction == .up ? 1 : -1
        board.program.addRow(lower: Double((proof.distance + grain - 1) / grain), upper: .infinity)
        for mover in movers {
            let place = placeOfCircuit[Int(mover.leaf)]
            guard place >= 0 else { continue }
            board.reduced[Int(place)] = sign * Double(mover.amount)
            board.entries[Int(place)].append((goal, sign * Double(mover.amount)))
        }
    }

    /// Returns circuits around a cell: those that move it, then those that share a leaf with one taken already.
    private mutating func select(_ movers: [TableChange.Step], limit: Int, isComplete: inout Bool) -> [UInt32] {
        var result: [UInt32] = []
        func take(_ free: UInt32) {
            guard placeOfCircuit[Int(free)] < 0 else { return }
            guard result.count < limit, system.isWhole(circuitOf: free) else {
                isComplete = false
                return
            }
            placeOfCircuit[Int(free)] = Int32(result.count)
            result.append(free)
        }
        for mover in movers { take(mover.leaf) }
        var next = 0
        while next < result.count, result.count < limit || isComplete {
            for step in system.circuit(of: result[next]) where !system.basis.isFree[Int(step.leaf)] {
                for term in system.basis.rows[Int(step.leaf)] { take(term.leaf) }
            }
            next += 1
        }
        return result
    }

    /// Returns a solver's answer as whole numbers, if it holds exactly.
    private mutating func checked(
        _ solution: [Double], _ circuits: [UInt32], _ proof: PatternProof, grain: Int64
    ) -> TableChange? {
        var touched: Set<UInt32> = []
        defer { for leaf in touched { change[Int(leaf)] = 0 } }
        for (place, circuit) in circuits.enumerated() {
            let amount = solution[place] - solution[place + circuits.count]
            let rounded = amount.rounded()
            guard abs(rounded - amount) < 1e-5, abs(rounded) < 1e12 else { return nil }
            if rounded == 0 { continue }
            for step in system.circuit(of: circuit) {
                touched.insert(step.leaf)
                change[Int(step.leaf)] += step.amount * Int64(rounded) * grain
            }
        }
        var moved: Int64 = 0
        for leaf in problem.columns[Int(proof.column)] { moved += change[Int(leaf)] }
        guard (proof.direction == .up ? moved : -moved) >= proof.distance else { return nil }
        let values = problem.values[proof.measure]
        var steps: [TableChange.Step] = []
        for leaf in touched.sorted() where change[Int(leaf)] != 0 {
            guard values[Int(leaf)] + change[Int(leaf)] >= 0 else { return nil }
            steps.append(TableChange.Step(leaf: leaf, amount: change[Int(leaf)]))
        }
        return TableChange(steps: steps)
    }
}
