/// Finds a cheapest pattern, for components of up to about 500 cells.
///
/// Fischetti and Salazar (2001) solve cell suppression by Benders' decomposition: a master over binary "hide" variables
/// and, for every sensitive cell, the attacker's linear program, whose dual yields a cut. Here a hidden cell has no
/// a-priori bounds, so that a Farkas certificate speaks only of which columns are published: at least one of those it
/// uses must be hidden. That makes the master a hitting set, solved by CBC.
package struct ExactSuppression: Sendable {
    /// The most cells that it takes on.
    package static let cellLimit = 500
    /// The time for everything together; a problem that is not solved by then is given up. Unit: seconds.
    package let seconds: Double
    /// Breaks ties, as for the engine; used for the proofs of the final pattern.
    package let seed: UInt64

    /// Makes a solver.
    package init(seconds: Double, seed: UInt64) {
        self.seconds = seconds
        self.seed = seed
    }

    /// The cheapest pattern that satisfies L1, L2 and L3, with its proofs.
    ///
    /// - Throws: ``SuppressionError/tooManyCellsForExactMode(found:limit:)``,
    ///   ``SuppressionError/exactModeTimedOut(seconds:)``, ``SuppressionError/solverFailed``.
    /// - Complexity: exponential in the worst case.
    package func pattern(for problem: SuppressionProblem) throws(SuppressionError) -> SuppressionPattern {
        guard problem.cells.count <= Self.cellLimit else {
            throw .tooManyCellsForExactMode(found: problem.cells.count, limit: Self.cellLimit)
        }
        let compact = CompactProblem(problem)
        let deadline = ContinuousClock().now + .seconds(seconds)
        var cuts: Set<[UInt32]> = []
        let needed = PatternProof.needed(for: compact, original: problem)
        while true {
            guard ContinuousClock().now < deadline else { throw .exactModeTimedOut(seconds: seconds) }
            let hidden = try master(compact, cuts: cuts, deadline: deadline)
            let published = compact.isSensitive.indices.map {
                !compact.isSensitive[$0] && !hidden.contains(UInt32($0))
            }
            let found = try separate(published, compact, problem, needed, deadline: deadline)
            if found.isSubset(of: cuts) {
                return try finish(hidden, compact, problem, deadline: deadline)
            }
            cuts.formUnion(found)
        }
    }

    /// Finds the columns of least cost that have one of every cut.
    private func master(
        _ problem: CompactProblem, cuts: Set<[UInt32]>, deadline: ContinuousClock.Instant
    ) throws(SuppressionError) -> Set<UInt32> {
        if cuts.isEmpty { return [] }
        var rowsOfColumn: [UInt32: [Int]] = [:]
        var program = CoinProgram()
        for (row, cut) in cuts.enumerated() {
            program.addRow(lower: 1, upper: .infinity)
            for column in cut { rowsOfColumn[column, default: []].append(row) }
        }
        let columns = rowsOfColumn.keys.sorted()
        for column in columns {
            program.addColumn(
                lower: 0, upper: 1, cost: Double(problem.cost[Int(column)]),
                entries: (rowsOfColumn[column] ?? []).map { (row: $0, coefficient: 1) })
        }
        switch program.solveInteger(SolverBudget(nodes: .max, deadline: deadline)) {
        case .optimal(let solution): return Set(columns.indices.filter { solution[$0] > 0.5 }.map { columns[$0] })
        case .feasible, .undecided: throw .exactModeTimedOut(seconds: seconds)
        case .infeasible: throw .solverFailed
        }
    }

    /// Returns cuts that a pattern violates: several disjoint ones for each cell, because masters are dearer than
    /// attacks.
    private func separate(
        _ published: [Bool], _ problem: CompactProblem, _ original: SuppressionProblem, _ needed: [PatternProof],
        deadline: ContinuousClock.Instant
    ) throws(SuppressionError) -> Set<[UInt32]> {
        var cuts: Set<[UInt32]> = []
        let budget = SolverBudget(deadline: deadline)
        let closure = UnionClosure(problem, original: original)
        for (place, relation) in original.relations.enumerated() where closure.failsUnion(place, known: published) {
            let cells = ([relation.parent] + relation.children).compactMap { problem.mergedColumn[Int($0.value)] }
            let cut = Set(cells.filter { published[Int($0)] }).sorted()
            if !cut.isEmpty { cuts.insert(cut) }
        }
        for proof in needed {
            var trial = published
            while true {
                guard ContinuousClock().now < deadline else { throw .exactModeTimedOut(seconds: seconds) }
                guard let cut = blame(proof, problem, published: trial, isWhole: false, budget), !cut.isEmpty else {
                    break
                }
                cuts.insert(cut)
                for column in cut { trial[Int(column)] = false }
            }
        }
        if !cuts.isEmpty { return cuts }
        // Combinations that must not be computable though no cell shows them: small unions, sums of singletons, and
        // cells less a number that a singleton knows.
        let system = PublishedSystem(problem, published: published)
        var basis = system.basis
        let peelings = Peeling.found(in: basis, problem).map { $0.vector(in: problem) }
        for vector in closure.smallUnions + basis.sums(of: problem.isSingleton) + peelings
        where basis.reduce(vector).isEmpty {
            let cut = dependency(of: vector, problem, published: published)
            if !cut.isEmpty { cuts.insert(cut) }
        }
        if !cuts.isEmpty { return cuts }
        // Real tables prove everything: now whole ones, and unions that hold cells of another size.
        let everything = published.indices.filter { published[$0] }.map { UInt32($0) }
        for proof in needed {
            guard ContinuousClock().now < deadline else { throw .exactModeTimedOut(seconds: seconds) }
            if blame(proof, problem, published: published, isWhole: true, budget) != nil, !everything.isEmpty {
                return [everything]
            }
        }
        let known = published.indices.map { published[$0] || system.isDerivable[$0] }
        for place in original.relations.indices where closure.failsUnion(place, known: known) && !everything.isEmpty {
            return [everything]
        }
        return []
    }

    /// Returns the published columns whose combination is a vector that can be computed from them.
    ///
    /// Each column carries a leaf of its own through the elimination, which never becomes a pivot: the rest of the
    /// vector then consists of these.
    private func dependency(of vector: [Term], _ problem: CompactProblem, published: [Bool]) -> [UInt32] {
        let columns = published.indices.filter { published[$0] }.map { UInt32($0) }
        var basis = CircuitBasis(leafCount: problem.leafCount + columns.count, watched: [])
        for (place, column) in columns.enumerated() {
            let own = UInt32(problem.leafCount + place)
            let reduced = basis.reduce(Array(problem.columns[Int(column)] + [own])[...])
            // A column that depends on others is never needed.
            guard reduced.contains(where: { $0.leaf < problem.leafCount }) else { continue }
            basis.publish(reduced) { $0 < problem.leafCount ? 0 : 1 << 40 }
        }
        return basis.reduce(vector).map { columns[Int($0.leaf) - problem.leafCount] }.sorted()
    }

    /// Returns the published columns that contradict a proof; nil if another table exists.
    private func blame(
        _ proof: PatternProof, _ problem: CompactProblem, published: [Bool], isWhole: Bool, _ budget: SolverBudget,
        isCheck: Bool = false
    ) -> [UInt32]? {
        var program = CoinProgram()
        var row: [UInt32: Int] = [:]
        var columns: [UInt32] = []
        for column in published.indices where published[column] {
            row[UInt32(column)] = columns.count
            columns.append(UInt32(column))
            program.addRow(lower: 0, upper: 0)
        }
        program.addRow(lower: Double(proof.distance), upper: .infinity)
        let own = Set(problem.columns[Int(proof.column)])
        let sign: Double = proof.direction == .up ? 1 : -1
        for direction in [1.0, -1.0] {
            for leaf in 0..<problem.leafCount {
                var entries = problem.columnsOfLeaf[leaf].compactMap { column in
                    row[column].map { (row: $0, coefficient: direction) }
                }
                if own.contains(UInt32(leaf)) { entries.append((row: columns.count, coefficient: sign * direction)) }
                program.addColumn(
                    lower: 0, upper: direction > 0 ? .infinity : Double(problem.values[proof.measure][leaf]),
                    cost: isWhole ? 0 : 1, entries: entries)
            }
        }
        if isWhole {
            if program.solveInteger(budget).solution != nil { return nil }
            return []
        }
        switch program.solveLinear(budget) {
        case .optimal, .undecided: return nil
        case .infeasible(let ray):
            let used = columns.indices.filter { $0 < ray.count && abs(ray[$0]) > 1e-7 }.map { columns[$0] }
            if isCheck || used.isEmpty || used.count == columns.count { return columns }
            // A ray is made of floating point: a cut that named too few columns would rule cheapest patterns out.
            var named = Array(repeating: false, count: published.count)
            for column in used { named[Int(column)] = true }
            let holds = blame(proof, problem, published: named, isWhole: false, budget, isCheck: true) != nil
            return holds ? used : columns
        }
    }

    private func finish(
        _ hidden: Set<UInt32>, _ compact: CompactProblem, _ problem: SuppressionProblem,
        deadline: ContinuousClock.Instant
    ) throws(SuppressionError) -> SuppressionPattern {
        var search = PatternSearch(compact, original: problem, deadline: deadline)
        search.hide(hidden)
        var random = SecretGenerator(seed: seed)
        search.run(using: &random)
        let pattern = search.pattern()
        if !pattern.unproved.isEmpty, ContinuousClock().now >= deadline { throw .exactModeTimedOut(seconds: seconds) }
        return pattern
    }
}
