extension LevelSearch {
    /// What is wrong with a relation.
    enum Flaw {
        /// L2: what is unknown of a known whole is under k; the part itself, where it is a single one.
        case smallUnion(single: ColumnIndex?)
        /// What is hidden of a known whole is too little for a sensitive part to reach its target. Unit: the measure's.
        case tooLight(measure: Int, missing: Int64)
        /// A single hidden part of a known whole is known.
        case alone
    }

    /// Hides cells of a level until no relation is flawed that the level could mend: before others those that mend most at
    /// least cost, because a cell lies in a line of each of its dimensions.
    ///
    /// Only ``Flaw/smallUnion`` breaks a promise; the others make proofs impossible, and it is cheaper to see that here.
    ///
    /// - Complexity: O(relations · children), and as much again for the relations of each cell that is hidden.
    mutating func close(_ level: Int, known: [Bool]) {
        var state = ClosingState(
            known: known, tallies: RelationTallies(problem, values: values, targets: targets, known: known),
            flaws: Array(repeating: nil, count: problem.relations.count))
        for (place, relation) in problem.relations.enumerated() where known[Int(relation.parent.value)] {
            state.flaws[place] = state.tallies.flaw(of: place)
        }
        // Merits that rise by what is hidden are looked up again where few parts are beside it, and at last everywhere.
        while hideBest(level, &state) {}
        // Where no part is left the whole has to go.
        var isOpen = true
        while isOpen {
            isOpen = false
            for place in state.flaws.indices where state.flaws[place] != nil {
                let parent = Int(problem.relations[place].parent.value)
                guard mayHide(parent, level) else { continue }
                hide(parent, &state)
                isOpen = true
            }
        }
    }

    /// What is known while a level is closed.
    private struct ClosingState {
        var known: [Bool]
        var tallies: RelationTallies
        /// By relation.
        var flaws: [Flaw?]
    }

    /// Parts up to which all of a relation are looked up again when one of them is hidden.
    private static let fewParts = 512

    /// Hides parts of flawed relations, the one with most merit first.
    ///
    /// - Returns: whether any was hidden.
    private mutating func hideBest(_ level: Int, _ state: inout ClosingState) -> Bool {
        var queue = VictimQueue()
        var seen: Set<Int> = []
        for place in state.flaws.indices where state.flaws[place] != nil {
            for child in problem.relations[place].children where mayHide(Int(child.value), level) {
                let column = Int(child.value)
                if seen.insert(column).inserted { queue.push(column, merit(of: column, state)) }
            }
        }
        var isAny = false
        while let (column, noted) = queue.pop() {
            guard mayHide(column, level) else { continue }
            let merit = merit(of: column, state)
            guard merit > 0 else { continue }
            if merit < noted {
                queue.push(column, merit)
                continue
            }
            hide(column, &state)
            isAny = true
            for place in relationsOfColumn[column] where state.flaws[Int(place)] != nil {
                let children = problem.relations[Int(place)].children
                guard children.count <= Self.fewParts else { continue }
                for child in children where mayHide(Int(child.value), level) {
                    let other = Int(child.value)
                    queue.push(other, self.merit(of: other, state))
                }
            }
        }
        return isAny
    }

    private mutating func hide(_ column: Int, _ state: inout ClosingState) {
        let own = relationsOfColumn[column].first { place in
            state.flaws[Int(place)] != nil && problem.relations[Int(place)].parent.value != UInt32(column)
        }
        let relation = problem.relations[Int(own ?? relationsOfColumn[column].first ?? 0)]
        reasons[column] =
            switch own.flatMap({ state.flaws[Int($0)] }) {
            case .smallUnion(let single?): .wouldReveal(single)
            case .smallUnion(nil): .closesUnion(parent: relation.parent)
            case .tooLight, .alone, nil: .wouldBound
            }
        published[column] = false
        state.known[column] = false
        for place in relationsOfColumn[column].map({ Int($0) }) {
            let parent = Int(problem.relations[place].parent.value)
            if parent == column {
                state.flaws[place] = nil
            } else {
                state.tallies.add(ColumnIndex(UInt32(column)), to: place)
                state.flaws[place] = state.known[parent] ? state.tallies.flaw(of: place) : nil
            }
        }
    }

    /// What hiding a cell mends of flaws, less those that it makes, by its cost; ties by the secret.
    private func merit(of column: Int, _ state: ClosingState) -> Double {
        var mended = 0.0
        var made = 0.0
        for place in relationsOfColumn[column] {
            let relation = problem.relations[Int(place)]
            if Int(relation.parent.value) == column { continue }
            switch state.flaws[Int(place)] {
            case .smallUnion?, .alone?: mended += 1
            case .tooLight(let measure, let missing)?:
                mended += min(1, Double(values[measure][column]) / Double(missing))
            case nil:
                if state.known[Int(relation.parent.value)], state.tallies.isKnown(Int(place)) { made += 1 }
            }
        }
        guard mended > 0 else { return 0 }
        let net = max(mended - made, mended / 16)
        return net / Double(problem.cells[column].cost) + Double(ties[column] >> 40) * 1e-16
    }

    /// What is wrong with a relation, given which cells are known.
    ///
    /// - Complexity: O(children).
    func flaw(of place: Int, known: [Bool]) -> Flaw? {
        guard known[Int(problem.relations[place].parent.value)] else { return nil }
        var tallies = RelationTallies(
            problem, values: values, targets: targets, relations: place..<place + 1, known: known)
        return tallies.flaw(of: place)
    }

    func mayHide(_ column: Int, _ level: Int) -> Bool {
        published[column] && isCandidate[column] && problem.cells[column].level == level
    }

    /// The least useful cell; before others one that is not the only hidden part in another relation.
    func cheapest(of columns: [Int]) -> Int? {
        columns.min { rank($0) < rank($1) }
    }

    private func rank(_ column: Int) -> (Int, Int64, UInt64) {
        var lonely = 0
        for place in relationsOfColumn[column] {
            let relation = problem.relations[Int(place)]
            guard published[Int(relation.parent.value)], Int(relation.parent.value) != column else { continue }
            if !relation.children.contains(where: { Int($0.value) != column && !published[Int($0.value)] }) {
                lonely += 1
            }
        }
        return (lonely, problem.cells[column].cost, ties[column])
    }
}

/// Cells to hide, the one with most merit first.
struct VictimQueue {
    private var heap: [(merit: Double, column: Int)] = []

    mutating func push(_ column: Int, _ merit: Double) {
        heap.append((merit, column))
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2].merit < heap[place].merit {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() -> (column: Int, merit: Double)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return (first.column, first.merit) }
        heap[0] = last
        var place = 0
        while true {
            var most = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && heap[child].merit > heap[most].merit { most = child }
            if most == place { return (first.column, first.merit) }
            heap.swapAt(most, place)
            place = most
        }
    }
}
