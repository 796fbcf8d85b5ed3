/// Looks for witnesses among the fundamental circuits: pushes a cell along one circuit after the other as far as the
/// table stays non-negative.
///
/// Every combination of circuits leaves the published cells alone, so only non-negativity has to be watched.
struct CircuitClimber {
    private let problem: CompactProblem
    private let system: PublishedSystem
    private var change: [Int64]
    private var touched: [UInt32] = []
    /// Circuits looked at per cell; beyond that the linear program is better.
    private static let circuitLimit = 192
    /// Longer circuits rarely have room in all their leaves.
    private static let stepLimit = 4_096

    init(_ problem: CompactProblem, system: PublishedSystem) {
        self.problem = problem
        self.system = system
        change = Array(repeating: 0, count: problem.leafCount)
    }

    /// Returns a change that moves the cell as far as asked; nil if this simple climb finds none.
    ///
    /// - Complexity: O(circuits through the cell × their length × 3).
    mutating func climb(_ proof: PatternProof) -> TableChange? {
        let values = problem.values[proof.measure]
        var circuits: [(gain: Int64, steps: [TableChange.Step])] = []
        for mover in system.movers(of: Int(proof.column), in: problem).prefix(Self.circuitLimit) {
            guard abs(mover.amount) <= PublishedSystem.largestStep, system.isWhole(circuitOf: mover.leaf) else {
                continue
            }
            let sign: Int64 = (mover.amount > 0) == (proof.direction == .up) ? 1 : -1
            var steps = system.circuit(of: mover.leaf)
            guard steps.count <= Self.stepLimit else { continue }
            for place in steps.indices { steps[place].amount *= sign }
            circuits.append((abs(mover.amount), steps))
        }
        defer {
            for leaf in touched { change[Int(leaf)] = 0 }
            touched.removeAll(keepingCapacity: true)
        }
        var missing = proof.distance
        // The circuit with most room first: one is enough for most cells.
        let order = circuits.indices.map {
            ($0, room(circuits[$0].steps, values, limit: missing).clampedProduct(circuits[$0].gain))
        }
        .sorted { $0.1 > $1.1 }
        for _ in 0..<3 {
            let before = missing
            for (place, _) in order {
                let circuit = circuits[place]
                let wanted = (missing + circuit.gain - 1) / circuit.gain
                let count = room(circuit.steps, values, limit: wanted)
                if count == 0 { continue }
                for step in circuit.steps {
                    if change[Int(step.leaf)] == 0 { touched.append(step.leaf) }
                    change[Int(step.leaf)] += step.amount * count
                }
                missing -= count * circuit.gain
                if missing <= 0 { return collect() }
            }
            if missing == before { break }
        }
        return nil
    }

    /// Returns the number of times that a circuit can be added before a leaf would fall below zero; `limit` at most.
    private func room(_ steps: [TableChange.Step], _ values: [Int64], limit: Int64) -> Int64 {
        var result = limit
        for step in steps where step.amount < 0 {
            result = min(result, (values[Int(step.leaf)] + change[Int(step.leaf)]) / -step.amount)
            if result <= 0 { return 0 }
        }
        // Upwards nothing bounds a leaf but the attacker's own arithmetic; keep far from overflow.
        let largest = steps.reduce(Int64(1)) { max($0, abs($1.amount)) }
        return min(result, SuppressionProblem.largestTotal / largest)
    }

    private func collect() -> TableChange {
        var steps: [TableChange.Step] = []
        for leaf in Set(touched).sorted() where change[Int(leaf)] != 0 {
            steps.append(TableChange.Step(leaf: leaf, amount: change[Int(leaf)]))
        }
        return TableChange(steps: steps)
    }
}

extension Int64 {
    /// Returns the product, or the largest value if it does not fit.
    func clampedProduct(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
