/// The tables found so far and what each proves.
///
/// A table that moves one cell usually moves others too, so that every new one is tried on all sensitive cells that it
/// touches. Witnesses outlive a round of repair if the pattern still agrees with them.
struct WitnessStore {
    private(set) var changes: [(measure: Int, change: TableChange)] = []
    /// The witness of each proof, by its place.
    private(set) var proved: [PatternProof: Int] = [:]
    private let problem: CompactProblem
    /// The proofs that each merged column needs.
    private let proofsOfColumn: [UInt32: [PatternProof]]

    init(_ problem: CompactProblem, needed: [PatternProof]) {
        self.problem = problem
        proofsOfColumn = Dictionary(grouping: needed, by: \.column)
    }

    /// Keeps a change that agrees with everything published, and notes everything that it proves.
    mutating func add(_ change: TableChange, measure: Int) {
        var moved: [UInt32: Int64] = [:]
        for step in change.steps {
            for column in problem.columnsOfLeaf[Int(step.leaf)] where problem.isSensitive[Int(column)] {
                moved[column, default: 0] += step.amount
            }
        }
        let place = changes.count
        var isUseful = false
        for (column, amount) in moved where amount != 0 {
            for proof in proofsOfColumn[column] ?? [] where proof.measure == measure && proved[proof] == nil {
                if (proof.direction == .up ? amount : -amount) >= proof.distance {
                    proved[proof] = place
                    isUseful = true
                }
            }
        }
        if isUseful { changes.append((measure, change)) }
    }

    /// Drops the witnesses that a changed pattern contradicts.
    ///
    /// - Complexity: O(steps × columns of a leaf).
    mutating func keepConsistent(with published: [Bool]) {
        let kept = changes.map { isConsistent($0.change, published) }
        if kept.allSatisfy({ $0 }) { return }
        var names: [Int] = []
        var remaining: [(measure: Int, change: TableChange)] = []
        for (place, entry) in changes.enumerated() {
            names.append(remaining.count)
            if kept[place] { remaining.append(entry) }
        }
        changes = remaining
        proved = proved.filter { kept[$0.value] }.mapValues { names[$0] }
    }

    /// Returns the columns that some witness moves, so that they can't be published without losing it.
    func movedColumns() -> Set<UInt32> {
        var result: Set<UInt32> = []
        for entry in changes {
            var moved: [UInt32: Int64] = [:]
            for step in entry.change.steps {
                for column in problem.columnsOfLeaf[Int(step.leaf)] { moved[column, default: 0] += step.amount }
            }
            for (column, amount) in moved where amount != 0 { result.insert(column) }
        }
        return result
    }

    private func isConsistent(_ change: TableChange, _ published: [Bool]) -> Bool {
        var moved: [UInt32: Int64] = [:]
        for step in change.steps {
            for column in problem.columnsOfLeaf[Int(step.leaf)] where published[Int(column)] {
                moved[column, default: 0] += step.amount
            }
        }
        return moved.values.allSatisfy { $0 == 0 }
    }
}
