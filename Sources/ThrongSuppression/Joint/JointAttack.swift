/// What an attacker can prove about one cell who knows how measures are tied: a joint table of all of them in which the cell
/// has another value, or the published cells that bound it.
///
/// Where events move to a band, the sum has to follow, so a table of one measure is not enough. Joint tables are of real
/// numbers: that each measure has a table in whole numbers is proved without ranges, by witnesses; that both have one
/// together is not, because integer programs over cents take minutes.
struct JointAttack {
    let problem: SuppressionProblem
    let ranges: [TiedRange]
    /// What is known of leaves of the first measure together.
    let bounds: [LeafBound]
    /// By leaf: which of ``bounds`` it is in.
    private let boundsOfLeaf: [UInt32: [Int]]
    /// What is known of unknowns beside the leaves.
    let beside: BesideLeaves
    let columnsOfLeaf: IndexLists
    let budget: SolverBudget

    init(
        _ problem: SuppressionProblem, ranges: [TiedRange], bounds: [LeafBound] = [],
        beside: BesideLeaves = BesideLeaves(), budget: SolverBudget
    ) {
        self.beside = beside
        self.problem = problem
        self.ranges = ranges
        self.bounds = bounds
        self.budget = budget
        columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
        boundsOfLeaf = bounds.enumerated().reduce(into: [:]) { found, bound in
            for term in bound.element.terms { found[term.leaf, default: []].append(bound.offset) }
        }
    }

    /// Leaves that may move in one program. All others are held fixed, which makes joint tables rarer only.
    static let mostLeaves = 400

    /// A published number.
    struct Number: Hashable, Comparable {
        let column: Int
        let measure: Int

        static func < (left: Self, right: Self) -> Bool { (left.column, left.measure) < (right.column, right.measure) }
    }

    /// What everybody has.
    struct Published {
        /// By column: what it counts is.
        var counts: [Bool]
        /// By column: what other measures sum in it is, too.
        var sums: [Bool]

        subscript(number: Number) -> Bool {
            counts[number.column] && (number.measure == 0 || sums[number.column])
        }
    }

    /// The outcome for one cell.
    enum Outcome {
        /// There is such a table, of real numbers.
        case table
        /// There is none, or none was found; these published numbers, and these rows beside them, take part in the contradiction.
        case bounded([Number], beside: [Int] = [])
    }

    /// The measures that move: the first and all that are tied to it.
    private var moving: [Int] { [0] + ranges.map(\.measure) }

    /// Looks for a joint table that moves a cell by a distance.
    ///
    /// - Parameters:
    ///   - unknowns: what has to reach the proof's distance instead of the cell itself, beside the leaves.
    ///   - isKnown: by row beside the leaves: it is.
    func run(
        _ proof: Proof, _ published: Published, reaching unknowns: [Int]? = nil,
        where isKnown: (Int) -> Bool = { _ in true }
    ) -> Outcome {
        let leaves = neighbourhood(of: Int(proof.column), published.counts)
        var place: [UInt32: Int] = [:]
        for (index, leaf) in leaves.enumerated() { place[leaf] = index }
        let columns = Set(leaves.flatMap { columnsOfLeaf[Int($0)] }).filter { published.counts[Int($0)] }.sorted()

        var program = CoinProgram()
        var entries = Array(
            repeating: [[(row: Int, coefficient: Double)]](repeating: [], count: leaves.count), count: moving.count)
        var owners: [Number?] = []
        var rowBeside: [Int: Int] = [:]
        var extra = Array(repeating: [(row: Int, coefficient: Double)](), count: beside.count)
        func row(lower: Double, upper: Double, owner: Number? = nil) -> Int {
            program.addRow(lower: lower, upper: upper)
            owners.append(owner)
            return owners.count - 1
        }
        for (number, measure) in moving.enumerated() {
            let values = problem.measures[measure].values
            for column in columns {
                let name = Number(column: Int(column), measure: measure)
                guard published[name] else { continue }
                let inside = problem.columns[Int(column)].compactMap { place[$0] }
                let sum = Double(inside.reduce(Int64(0)) { $0 + values[Int(leaves[$1])] })
                let own = row(lower: sum, upper: sum, owner: name)
                for index in inside { entries[number][index].append((own, 1)) }
            }
        }
        for (number, range) in ranges.enumerated() {
            for (index, leaf) in leaves.enumerated() {
                let above = row(lower: 0, upper: .infinity)
                entries[number + 1][index].append((above, 1))
                entries[0][index].append((above, -Double(range.lowest[Int(leaf)])))
                let below = row(lower: 0, upper: .infinity)
                entries[number + 1][index].append((below, -1))
                entries[0][index].append((below, Double(range.highest[Int(leaf)])))
            }
        }
        for number in Set(leaves.flatMap { boundsOfLeaf[$0] ?? [] }).sorted() {
            let others = bounds[number].sum(of: problem.measures[0].values) { place[$0] == nil }
            let bound = row(lower: -others, upper: .infinity)
            for term in bounds[number].terms {
                if let index = place[term.leaf] { entries[0][index].append((bound, Double(term.factor))) }
            }
        }
        for (number, known) in beside.rows.enumerated() where isKnown(number) {
            let fixed = known.leaves.reduce(0.0) {
                place[$1.leaf] == nil ? $0 + $1.factor * Double(problem.measures[0].values[Int($1.leaf)]) : $0
            }
            let own = row(lower: known.lower - fixed, upper: known.upper - fixed)
            rowBeside[own] = number
            for term in known.leaves {
                if let index = place[term.leaf] { entries[0][index].append((own, term.factor)) }
            }
            for term in known.unknowns { extra[term.unknown].append((own, term.factor)) }
        }
        if let unknowns {
            let reached = row(lower: Double(proof.distance), upper: .infinity)
            for unknown in unknowns { extra[unknown].append((reached, 1)) }
        } else {
            guard let measure = moving.firstIndex(of: proof.measure) else { return .bounded([]) }
            let own = problem.columns[Int(proof.column)].compactMap { place[$0] }
            let held = own.reduce(Int64(0)) { $0 + problem.measures[proof.measure].values[Int(leaves[$1])] }
            let goal =
                proof.direction == .up
                ? row(lower: Double(held + proof.distance), upper: .infinity)
                : row(lower: 0, upper: Double(max(0, held - proof.distance)))
            for index in own { entries[measure][index].append((goal, 1)) }
        }
        for number in moving.indices {
            for index in leaves.indices {
                program.addColumn(lower: 0, upper: .infinity, cost: 0, entries: entries[number][index])
            }
        }
        for entries in extra { program.addColumn(lower: 0, upper: .infinity, cost: 0, entries: entries) }
        return switch program.solveLinear(budget) {
        case .optimal:
            .table
        case .infeasible(let ray):
            .bounded(
                Set(owners.indices.filter { $0 < ray.count && abs(ray[$0]) > 1e-9 }.compactMap { owners[$0] }).sorted(),
                beside: rowBeside.filter { $0.key < ray.count && abs(ray[$0.key]) > 1e-9 }.map(\.value).sorted())
        case .undecided:
            .bounded([])
        }
    }

    /// Leaves around a cell, those first that short published cells tie to it.
    private func neighbourhood(of column: Int, _ isPublished: [Bool]) -> [UInt32] {
        guard problem.leafCount > Self.mostLeaves else { return Array(0..<UInt32(problem.leafCount)) }
        var result: [UInt32] = []
        var seen: Set<UInt32> = []
        var seenColumns: Set<UInt32> = []
        func visit(_ leaves: some Sequence<UInt32>) {
            for leaf in leaves where result.count < Self.mostLeaves && seen.insert(leaf).inserted {
                result.append(leaf)
            }
        }
        visit(problem.columns[column])
        var next = 0
        while next < result.count, result.count < Self.mostLeaves {
            let near = columnsOfLeaf[Int(result[next])].filter { isPublished[Int($0)] }
                .sorted { (problem.columns.length(of: Int($0)), $0) < (problem.columns.length(of: Int($1)), $1) }
            for bound in boundsOfLeaf[result[next]] ?? [] { visit(bounds[bound].terms.map(\.leaf)) }
            next += 1
            for column in near where seenColumns.insert(column).inserted { visit(problem.columns[Int(column)]) }
        }
        return result
    }
}
