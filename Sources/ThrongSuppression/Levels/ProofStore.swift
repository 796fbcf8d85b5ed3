/// What each sensitive cell needs, and the witnesses that give it.
struct ProofStore {
    /// What is to be proved; columns are the problem's own.
    let needs: [Proof]
    private(set) var witnesses: [SuppressionPattern.Witness] = []
    /// Changes of all witnesses together, some eight bytes each.
    private(set) var changeCount = 0
    /// By witness, the columns that it moves.
    private var moves: [Moves] = []
    /// By need: a witness that proved it once, −1 for none.
    private var prover: [Int32]
    /// By witness.
    private var isConsistent: [Bool] = []
    /// By witness, the needs that it proved when it was added.
    private var proved: [[UInt32]] = []
    /// By column, the witnesses that move it and few others.
    private var movers: [UInt32: [Int]] = [:]
    /// Those that move many.
    private var wide: [Int] = []
    /// By column, how far a witness moves it; zero between two of them.
    private var amounts: [Int64]
    private let needsOfColumn: [UInt32: [Int]]
    private let columnsOfLeaf: IndexLists
    private let grid: LeafGrid

    /// What an arrival takes of memory, in changes.
    private static let changesOfArrival = 8

    private enum Moves {
        case few([UInt32])
        case many(ColumnSet)

        func contains(where test: (UInt32) -> Bool) -> Bool {
            switch self {
            case .few(let columns): columns.contains(where: test)
            case .many(let columns): columns.contains(where: test)
            }
        }
    }

    init(_ problem: SuppressionProblem, values: [[Int64]], columnsOfLeaf: IndexLists, grid: LeafGrid) {
        var needs: [Proof] = []
        for column in problem.cells.indices where problem.cells[column].isSensitive && !problem.columns[column].isEmpty
        {
            for (number, measure) in problem.measures.enumerated() {
                let value = values[number][column]
                let target = measure.targets(of: value, threshold: problem.threshold)
                if target.upper > value {
                    needs.append(
                        Proof(column: UInt32(column), measure: number, direction: .up, distance: target.upper - value))
                }
                if let lower = target.lower, lower < value {
                    needs.append(
                        Proof(column: UInt32(column), measure: number, direction: .down, distance: value - lower))
                }
            }
        }
        self.needs = needs
        prover = Array(repeating: -1, count: needs.count)
        amounts = Array(repeating: 0, count: problem.cells.count)
        needsOfColumn = Dictionary(grouping: needs.indices, by: { needs[$0].column })
        self.columnsOfLeaf = columnsOfLeaf
        self.grid = grid
    }

    /// Whether a need has a witness that agrees with what is published.
    func isProved(_ need: Int) -> Bool { prover[need] >= 0 && isConsistent[Int(prover[need])] }

    /// The needs without one.
    var missing: [Int] { needs.indices.filter { !isProved($0) } }

    /// The columns that a witness moves, and by how much.
    mutating func columns(movedBy witness: SuppressionPattern.Witness) -> [(column: UInt32, amount: Int64)] {
        var touched: [UInt32] = []
        func add(_ amount: Int64, to column: UInt32, _ amounts: inout [Int64]) {
            // One that comes back to zero on the way is noted again, which does no harm.
            if amounts[Int(column)] == 0 { touched.append(column) }
            amounts[Int(column)] += amount
        }
        for change in witness.changes {
            for column in columnsOfLeaf[Int(change.leaf.value)] { add(change.amount, to: column, &amounts) }
        }
        for arrival in witness.arrivals {
            for grouping in grid.groupings {
                if let column = grouping.column(at: arrival.place) { add(arrival.amount, to: column, &amounts) }
            }
        }
        var moved: [(column: UInt32, amount: Int64)] = []
        for column in touched where amounts[Int(column)] != 0 {
            moved.append((column, amounts[Int(column)]))
            amounts[Int(column)] = 0
        }
        return moved
    }

    /// Columns up to which those that a witness moves are listed.
    private static let mostListed = 400

    /// Keeps a witness that agrees with what is published, for all that it proves.
    mutating func add(_ witness: SuppressionPattern.Witness) {
        let moved = columns(movedBy: witness)
        var proved: [UInt32] = []
        for (column, amount) in moved {
            for need in needsOfColumn[column] ?? [] where needs[need].measure == witness.measure && !isProved(need) {
                guard (needs[need].direction == .up ? amount : -amount) >= needs[need].distance else { continue }
                prover[need] = Int32(witnesses.count)
                proved.append(UInt32(need))
            }
        }
        guard !proved.isEmpty else { return }
        if moved.count <= Self.mostListed {
            for (column, _) in moved { movers[column, default: []].append(witnesses.count) }
            moves.append(.few(moved.map(\.column)))
        } else {
            var set = ColumnSet(width: amounts.count)
            for (column, _) in moved { set.insert(column) }
            wide.append(witnesses.count)
            moves.append(.many(set))
        }
        self.proved.append(proved)
        witnesses.append(witness)
        changeCount += witness.changes.count + Self.changesOfArrival * witness.arrivals.count
        isConsistent.append(true)
    }

    /// Looks again which witnesses agree with what is published. One that did not does again once what it moves is hidden.
    mutating func keepConsistent(with published: [Bool]) {
        for place in moves.indices { isConsistent[place] = !moves[place].contains { published[Int($0)] } }
    }

    /// Forgets witnesses that prove nothing which others don't prove.
    mutating func prune() {
        let used = Set(prover)
        for place in witnesses.indices where !used.contains(Int32(place)) {
            changeCount -= witnesses[place].changes.count + Self.changesOfArrival * witnesses[place].arrivals.count
            witnesses[place] = .init(measure: witnesses[place].measure, changes: [], arrivals: [], proves: [])
            moves[place] = .few([])
            proved[place] = []
        }
        wide.removeAll { !used.contains(Int32($0)) }
    }

    /// A need's last witness; nil where it never had one.
    func witness(of need: Int) -> SuppressionPattern.Witness? {
        prover[need] >= 0 ? witnesses[Int(prover[need])] : nil
    }

    /// The columns that a need's last witness moves; nil where it never had one.
    func moves(of need: Int) -> [UInt32]? {
        guard prover[need] >= 0 else { return nil }
        switch moves[Int(prover[need])] {
        case .few(let columns): return columns
        case .many(let columns): return columns.members
        }
    }

    /// Looks again whether a need's last witness agrees with what is published.
    mutating func lookAgain(at need: Int, _ published: [Bool]) {
        guard prover[need] >= 0 else { return }
        let place = Int(prover[need])
        isConsistent[place] = !moves[place].contains { published[Int($0)] }
    }

    private func witnesses(moving column: UInt32) -> [Int] {
        let wide = wide.filter { place in
            if case .many(let columns) = moves[place] { return columns.contains(column) }
            return false
        }
        return ((movers[column] ?? []) + wide).filter { isConsistent[$0] }
    }

    /// The needs whose witness in use moves a column, ascending.
    func needs(movedThrough column: UInt32) -> [Int] {
        witnesses(moving: column)
            .flatMap { witness in proved[witness].map { Int($0) }.filter { prover[$0] == Int32(witness) } }.sorted()
    }

    /// Takes a column for published: what moves it proves nothing now.
    ///
    /// - Returns: the witnesses that proved something until now.
    mutating func contradict(_ column: UInt32) -> [Int] {
        let contradicted = witnesses(moving: column)
        for witness in contradicted { isConsistent[witness] = false }
        return contradicted
    }

    /// Takes a column for hidden again: these witnesses agree with what is published, as before.
    mutating func agree(_ contradicted: [Int]) {
        for witness in contradicted { isConsistent[witness] = true }
    }

    /// The witnesses in use, and what each proves.
    func used() -> [SuppressionPattern.Witness] {
        var proves: [Int32: Set<UInt32>] = [:]
        for need in needs.indices where isProved(need) { proves[prover[need], default: []].insert(needs[need].column) }
        return proves.keys.sorted().map { place in
            witnesses[Int(place)].proving((proves[place] ?? []).sorted().map { ColumnIndex($0) })
        }
    }
}
