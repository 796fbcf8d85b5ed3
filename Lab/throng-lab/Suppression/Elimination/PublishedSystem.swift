/// An attacker's view of a finished pattern: the published columns eliminated, and the circuits that remain.
///
/// The greedy pass had to eliminate in order of usefulness. Here the set is known, so that single leaves go first and
/// fall out of every other column; what remains is sparse, and its fundamental circuits are short.
struct PublishedSystem {
    let basis: CircuitBasis
    /// True by merged leaf if it can't be computed.
    let isActive: [Bool]
    /// Published columns that are independent and still hold active leaves, the shortest first.
    let equations: [UInt32]
    /// The active leaves of each equation.
    let leavesOfEquation: IndexLists
    /// The equations over each merged leaf.
    let equationsOfLeaf: IndexLists
    /// True by merged column if it is hidden, and yet can be computed from the published ones.
    let isDerivable: [Bool]
    /// The pivot leaves that move with each free leaf.
    private let circuitLeaves: IndexLists
    /// The steps in the order of ``circuitLeaves``.
    private let circuitSteps: [Int64]
    /// The row of the basis that holds the rest of a merged column, for sensitive ones with several leaves.
    private let rowOfColumn: [UInt32: Int]
    let singletons: SingletonRule

    /// Eliminates a pattern.
    ///
    /// - Complexity: near-linear in the incidences for tables with margins; the worst case is cubic in hidden leaves.
    init(_ problem: CompactProblem, published: [Bool]) {
        let sensitive = (0..<problem.columnCount).filter {
            problem.isSensitive[$0] && problem.columns.length(of: $0) > 1
        }
        var basis = CircuitBasis(
            leafCount: problem.leafCount,
            watched: sensitive.map { column in problem.columns[column].map { Term(leaf: $0, coefficient: 1) } })
        rowOfColumn = Dictionary(
            uniqueKeysWithValues: sensitive.enumerated().map { (UInt32($0.element), problem.leafCount + $0.offset) })
        let order = (0..<UInt32(problem.columnCount)).filter { published[Int($0)] }
            .sorted { (problem.columns.length(of: Int($0)), $0) < (problem.columns.length(of: Int($1)), $1) }
        // Circuits take from pivot leaves what they give to a free one. Pivots that hold much give circuits room, so
        // that a basis of large leaves, like a heaviest spanning tree, turns most circuits into witnesses.
        let weight = problem.values[0].map { 4 * $0.leadingZeroBitCount }
        let singletons = SingletonRule(problem)
        self.singletons = singletons
        var pivots: [UInt32] = []
        for column in order {
            let reduced = basis.reduce(problem.columns[Int(column)])
            if reduced.isEmpty { continue }
            basis.publish(reduced) { weight[Int($0)] + singletons.penalty($0) }
            pivots.append(column)
        }
        var isDerivable = Array(repeating: false, count: problem.columnCount)
        for column in 0..<problem.columnCount where !published[column] {
            isDerivable[column] = basis.reduce(problem.columns[column]).isEmpty
        }
        let isActive = (0..<problem.leafCount).map { basis.isFree[$0] || !basis.rows[$0].isEmpty }
        var lists = IndexLists()
        var equations: [UInt32] = []
        for column in pivots {
            let active = problem.columns[Int(column)].filter { isActive[Int($0)] }
            if active.isEmpty { continue }
            equations.append(column)
            lists.append(active)
        }
        self.equations = equations
        leavesOfEquation = lists
        equationsOfLeaf = lists.transposed(width: problem.leafCount)
        self.isDerivable = isDerivable
        self.isActive = isActive

        var rows = IndexLists()
        var steps: [Int64] = []
        for leaf in 0..<problem.leafCount {
            rows.append(basis.rows[leaf].map(\.leaf))
            for term in basis.rows[leaf] { steps.append(Mersenne61.centred(term.coefficient)) }
        }
        // Transposing the lists by hand keeps the coefficients beside their places.
        var starts = Array(repeating: 0, count: problem.leafCount + 1)
        for item in rows.items { starts[Int(item) + 1] += 1 }
        for leaf in 0..<problem.leafCount { starts[leaf + 1] += starts[leaf] }
        var next = starts
        var leaves = Array(repeating: UInt32(0), count: rows.items.count)
        var sorted = Array(repeating: Int64(0), count: rows.items.count)
        for leaf in 0..<problem.leafCount {
            for place in rows.starts[leaf]..<rows.starts[leaf + 1] {
                let free = Int(rows.items[place])
                leaves[next[free]] = UInt32(leaf)
                sorted[next[free]] = steps[place]
                next[free] += 1
            }
        }
        circuitLeaves = IndexLists(starts: starts, items: leaves)
        circuitSteps = sorted
        self.basis = basis
    }

    /// Returns the table change that moves one free leaf by one and leaves every published cell alone.
    func circuit(of free: UInt32) -> [TableChange.Step] {
        var result = [TableChange.Step(leaf: free, amount: 1)]
        for place in circuitLeaves.starts[Int(free)]..<circuitLeaves.starts[Int(free) + 1] {
            result.append(TableChange.Step(leaf: circuitLeaves.items[place], amount: circuitSteps[place]))
        }
        return result
    }

    /// True if a circuit moves leaves by small whole numbers; larger ones are residues of fractions.
    func isWhole(circuitOf free: UInt32) -> Bool {
        circuitSteps[circuitLeaves.starts[Int(free)]..<circuitLeaves.starts[Int(free) + 1]].allSatisfy {
            abs($0) <= Self.largestStep
        }
    }

    /// The largest coefficient that counts as a whole number.
    static let largestStep: Int64 = 1 << 20

    /// True if publishing one more cell would tell singletons something that they must not learn.
    ///
    /// - Parameter basis: the system's own basis, with everything that was published since.
    func givesSingletons(_ reduced: [Term], in basis: inout CircuitBasis, of problem: CompactProblem) -> Bool {
        singletons.forbids(reduced, in: &basis) { row in
            row >= problem.leafCount || problem.columnOfLeafAlone[row].map { problem.isSensitive[Int($0)] } ?? false
        }
    }

    /// Returns the free leaves whose circuits move a sensitive cell, and the amounts.
    func movers(of column: Int, in problem: CompactProblem) -> [TableChange.Step] {
        let row: [Term]
        if let place = rowOfColumn[UInt32(column)] {
            row = basis.rows[place]
        } else if let leaf = problem.columns[column].first, problem.columns.length(of: column) == 1 {
            if basis.isFree[Int(leaf)] { return [TableChange.Step(leaf: leaf, amount: 1)] }
            row = basis.rows[Int(leaf)]
        } else {
            row = []
        }
        return row.map { TableChange.Step(leaf: $0.leaf, amount: Mersenne61.centred($0.coefficient)) }
    }
}

/// A change of a table, leaf by leaf, by whole numbers.
struct TableChange: Sendable, Hashable {
    /// The leaves that move.
    var steps: [Step]

    /// One leaf's move.
    struct Step: Sendable, Hashable {
        var leaf: UInt32
        var amount: Int64
    }
}
