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
    mutating func run(_ proof: Proof, circuitLimit: Int, isWhole: Bool) -> Outcome {
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
    private mutating func run(_ proof: Proof, circuitLimit: Int, isWhole: Bool, grain: Int64) -> Outcome {
        let movers = system.movers(of: Int(proof.column), in: problem)
        var isComplete = true
        let circuits = select(movers, limit: circuitLimit, isComplete: &isComplete)
        defer { for circuit in circuits { placeOfCircuit[Int(circuit)] = -1 } }
        guard !circuits.isEmpty else { return .undecided }
        let values = problem.values[proof.measure]

        // The most that each circuit may go up and down for the leaves that it alone moves, and the leaf that stops it.
        var most = Array(repeating: Int64.max, count: circuits.count)
        var least = Array(repeating: Int64.max, count: circuits.count)
        var stopsUp = Array(repeating: TableChange.Step(leaf: 0, amount: 0), count: circuits.count)
        var stopsDown = stopsUp
        var cost = Array(repeating: 0.01, count: circuits.count)
        var entries: [[(row: Int, coefficient: Double)]] = Array(repeating: [], count: circuits.count)
        var leafOfRow: [UInt32] = []
        var rowOfLeaf: [UInt32: Int] = [:]
        var program = CoinProgram()
        for (place, circuit) in circuits.enumerated() {
            for step in system.circuit(of: circuit) {
                let held = values[Int(step.leaf)]
                cost[place] += 1 / Double(held + 1)
                var others = 0
                if !system.basis.isFree[Int(step.leaf)] {
                    for term in system.basis.rows[Int(step.leaf)] where placeOfCircuit[Int(term.leaf)] >= 0 {
                        others += 1
                        if others > 1 { break }
                    }
                }
                if others <= 1 {
                    let room = held / abs(step.amount) / grain
                    if step.amount < 0, room < most[place] {
                        most[place] = room
                        stopsUp[place] = step
                    } else if step.amount > 0, room < least[place] {
                        least[place] = room
                        stopsDown[place] = step
                    }
                } else {
                    let row: Int
                    if let known = rowOfLeaf[step.leaf] {
                        row = known
                    } else {
                        row = leafOfRow.count
                        rowOfLeaf[step.leaf] = row
                        leafOfRow.append(step.leaf)
                        program.addRow(lower: -Double(held / grain), upper: .infinity)
                    }
                    entries[place].append((row, Double(step.amount)))
                }
            }
        }
        let goal = leafOfRow.count
        let sign: Double = proof.direction == .up ? 1 : -1
        program.addRow(lower: Double((proof.distance + grain - 1) / grain), upper: .infinity)
        var reduced = Array(repeating: 0.0, count: circuits.count)
        for mover in movers {
            let place = placeOfCircuit[Int(mover.leaf)]
            guard place >= 0 else { continue }
            reduced[Int(place)] = sign * Double(mover.amount)
            entries[Int(place)].append((goal, sign * Double(mover.amount)))
        }
        for direction in [1.0, -1.0] {
            for place in circuits.indices {
                let room = direction > 0 ? most[place] : least[place]
                program.addColumn(
                    lower: 0, upper: room == .max ? .infinity : Double(room), cost: cost[place],
                    entries: direction > 0 ? entries[place] : entries[place].map { ($0.row, -$0.coefficient) })
            }
        }
        switch program.solveLinear(budget) {
        case .undecided:
            return .undecided
        case .infeasible(let ray):
            guard isComplete, ray.count == leafOfRow.count + 1 else { return .undecided }
            return blame(
                ray, leafOfRow: leafOfRow, entries: entries, reduced: reduced, stopsUp: stopsUp, stopsDown: stopsDown)
        case .optimal(let solution):
            if let found = checked(solution, circuits, proof, grain: grain) { return .witness(found) }
        }
        guard isWhole else { return .fractional }
        // Any whole point will do.
        for place in program.objective.indices { program.objective[place] = 0 }
        if let solution = program.solveInteger(budget).solution,
            let found = checked(solution, circuits, proof, grain: 1)
        {
            return .witness(found)
        }
        return .fractional
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

    /// Returns the leaves that stop the cell because they can't be negative: Farkas' multipliers, and for each circuit
    /// that they leave unbalanced the one leaf that stops it.
    private func blame(
        _ ray: [Double], leafOfRow: [UInt32], entries: [[(row: Int, coefficient: Double)]], reduced: [Double],
        stopsUp: [TableChange.Step], stopsDown: [TableChange.Step]
    ) -> Outcome {
        let goal = leafOfRow.count
        guard abs(ray[goal]) > 1e-9 else { return .undecided }
        let weights = ray.map { $0 / ray[goal] }
        var result: [(leaf: UInt32, weight: Double)] = []
        for (row, leaf) in leafOfRow.enumerated() where weights[row] > 1e-7 { result.append((leaf, weights[row])) }
        for place in entries.indices {
            var rest = reduced[place]
            for entry in entries[place] where entry.row != goal && weights[entry.row] > 1e-7 {
                rest += weights[entry.row] * entry.coefficient
            }
            guard abs(rest) > 1e-7 else { continue }
            let stop = rest > 0 ? stopsUp[place] : stopsDown[place]
            guard stop.amount != 0 else { return .undecided }
            result.append((stop.leaf, abs(rest / Double(stop.amount))))
        }
        return .bounded(result)
    }

    /// Returns a solver's answer as whole numbers, if it holds exactly.
    private mutating func checked(
        _ solution: [Double], _ circuits: [UInt32], _ proof: Proof, grain: Int64
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
