/// Sums of unknowns, none of which is negative, that everybody knows; and what they say of a sum that nobody does.
package struct KnownSums {
    /// By known sum, its unknowns, each once, ascending.
    private let sums: [[Int32]]
    private let values: [Int64]
    private let count: Int
    private let budget: SolverBudget

    /// What a linear program of real numbers says.
    package enum Outcome: Equatable {
        /// It may be so.
        case possible
        /// It can't, and these of the known sums take part in why.
        case impossible([Int])
        /// Nobody knows.
        case undecided
    }

    /// - Parameters:
    ///   - count: how many unknowns there are.
    ///   - sums: by known sum, its unknowns, each once.
    ///   - values: by known sum, what it is.
    package init(unknowns count: Int, sums: [[Int32]], values: [Int64], deadline: ContinuousClock.Instant) {
        self.count = count
        self.sums = sums
        self.values = values
        budget = SolverBudget(iterations: 20_000, deadline: deadline)
    }

    /// Sums to leave out, so that the others contradict each other no more: nothing, where they do not.
    ///
    /// - Parameters:
    ///   - most: so many ways are returned, and four times as many looked at.
    ///   - isKnown: by known sum: it is.
    package func readings(atMost most: Int, where isKnown: (Int) -> Bool) -> [Set<Int>] {
        var found: [Set<Int>] = []
        var waiting: [Set<Int>] = [[]]
        var seen: Set<Set<Int>> = [[]]
        for _ in 0..<4 * most where found.count < most && !waiting.isEmpty {
            let left = waiting.removeFirst()
            switch outcome(where: { isKnown($0) && !left.contains($0) }) {
            case .possible: found.append(left)
            case .impossible(let named):
                waiting += named.map { left.union([$0]) }.filter { seen.insert($0).inserted }
            case .undecided: return found
            }
        }
        return found
    }

    /// Whether some unknowns may add up to so much, or else to anything.
    ///
    /// - Parameters:
    ///   - unknowns: each once; nil asks whether there are such numbers at all.
    ///   - isKnown: by known sum: it is.
    package func outcome(
        of unknowns: [Int32]? = nil, reaching least: Int64 = 0, where isKnown: (Int) -> Bool
    ) -> Outcome {
        var program = CoinProgram()
        var entries = Array(repeating: [(row: Int, coefficient: Double)](), count: count)
        var owners: [Int?] = []
        for (number, sum) in sums.enumerated() where isKnown(number) {
            program.addRow(lower: Double(values[number]), upper: Double(values[number]))
            for unknown in sum { entries[Int(unknown)].append((owners.count, 1)) }
            owners.append(number)
        }
        if let unknowns {
            program.addRow(lower: Double(least), upper: .infinity)
            for unknown in unknowns { entries[Int(unknown)].append((owners.count, 1)) }
            owners.append(nil)
        }
        for entries in entries { program.addColumn(lower: 0, upper: .infinity, cost: 0, entries: entries) }
        return switch program.solveLinear(budget) {
        case .optimal: .possible
        case .infeasible(let ray):
            .impossible(owners.indices.filter { $0 < ray.count && abs(ray[$0]) > 1e-9 }.compactMap { owners[$0] })
        case .undecided: .undecided
        }
    }
}
