/// What each sensitive cell needs, and the witnesses that give it.
struct ProofStore {
    /// What is to be proved; columns are the problem's own.
    let needs: [Proof]
    private(set) var witnesses: [SuppressionPattern.Witness] = []
    /// By witness, the columns that it moves.
    private var moves: [[UInt32]] = []
    /// By need: a witness that proved it once, −1 for none.
    private var prover: [Int32]
    /// By witness.
    private var isConsistent: [Bool] = []
    /// By witness, the needs that it proved when it was added.
    private var proved: [[Int]] = []
    /// By column, the witnesses that move it.
    private var movers: [UInt32: [Int]] = [:]
    private let needsOfColumn: [UInt32: [Int]]
    private let columnsOfLeaf: IndexLists
    private let grid: LeafGrid

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
        needsOfColumn = Dictionary(grouping: needs.indices, by: { needs[$0].column })
        self.columnsOfLeaf = columnsOfLeaf
        self.grid = grid
    }

    /// Whether a need has a witness that agrees with what is published.
    func isProved(_ need: Int) -> Bool { prover[need] >= 0 && isConsistent[Int(prover[need])] }

    /// The needs without one.
    var missing: [Int] { needs.indices.filter { !isProved($0) } }

    /// The columns that a witness moves, and by how much.
    func columns(movedBy witness: SuppressionPattern.Witness) -> [UInt32: Int64] {
        var moved: [UInt32: Int64] = [:]
        for change in witness.changes {
            for column in columnsOfLeaf[Int(change.leaf.value)] { moved[column, default: 0] += change.amount }
        }
        for arrival in witness.arrivals {
            for grouping in grid.groupings {
                if let column = grouping.column(at: arrival.place) { moved[column, default: 0] += arrival.amount }
            }
        }
        return moved.filter { $0.value != 0 }
    }

    /// Keeps a witness that agrees with what is published, for all that it proves.
    mutating func add(_ witness: SuppressionPattern.Witness) {
        let moved = columns(movedBy: witness)
        var proved: [Int] = []
        for (column, amount) in moved {
            for need in needsOfColumn[column] ?? [] where needs[need].measure == witness.measure && !isProved(need) {
                guard (needs[need].direction == .up ? amount : -amount) >= needs[need].distance else { continue }
                prover[need] = Int32(witnesses.count)
                proved.append(need)
            }
        }
        guard !proved.isEmpty else { return }
        for column in moved.keys { movers[column, default: []].append(witnesses.count) }
        self.proved.append(proved)
        witnesses.append(witness)
        moves.append(Array(moved.keys))
        isConsistent.append(true)
    }

    /// Looks again which witnesses agree with what is published. One that did not does again once what it moves is hidden.
    mutating func keepConsistent(with published: [Bool]) {
        for place in moves.indices { isConsistent[place] = !moves[place].contains { published[Int($0)] } }
    }

    /// The columns that a need's last witness moves; nil where it never had one.
    func moves(of need: Int) -> [UInt32]? { prover[need] >= 0 ? moves[Int(prover[need])] : nil }

    /// Looks again whether a need's last witness agrees with what is published.
    mutating func lookAgain(at need: Int, _ published: [Bool]) {
        guard prover[need] >= 0 else { return }
        let place = Int(prover[need])
        isConsistent[place] = !moves[place].contains { published[Int($0)] }
    }

    /// The needs whose witness in use moves a column, ascending.
    func needs(movedThrough column: UInt32) -> [Int] {
        (movers[column] ?? []).filter { isConsistent[$0] }
            .flatMap { witness in proved[witness].filter { prover[$0] == Int32(witness) } }.sorted()
    }

    /// Takes a column for published: what moves it proves nothing now.
    ///
    /// - Returns: the witnesses that proved something until now.
    mutating func contradict(_ column: UInt32) -> [Int] {
        let contradicted = (movers[column] ?? []).filter { isConsistent[$0] }
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
            let witness = witnesses[Int(place)]
            return SuppressionPattern.Witness(
                measure: witness.measure, changes: witness.changes, arrivals: witness.arrivals,
                proves: (proves[place] ?? []).sorted().map { ColumnIndex($0) })
        }
    }
}
