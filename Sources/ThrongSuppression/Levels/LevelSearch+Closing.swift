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
        var known = known
        var flaws: [Int: Flaw] = [:]
        for place in problem.relations.indices { flaws[place] = flaw(of: place, known: known) }
        var queue = VictimQueue()
        var seen: Set<Int> = []
        for place in flaws.keys.sorted() {
            for child in problem.relations[place].children where mayHide(Int(child.value), level) {
                let column = Int(child.value)
                if seen.insert(column).inserted { queue.push(column, merit(of: column, flaws, known)) }
            }
        }
        while let (column, noted) = queue.pop() {
            guard mayHide(column, level) else { continue }
            let merit = merit(of: column, flaws, known)
            guard merit > 0 else { continue }
            if merit < noted {
                queue.push(column, merit)
                continue
            }
            hide(column, in: &flaws, &known)
            for place in relationsOfColumn[column] where flaws[Int(place)] != nil {
                for child in problem.relations[Int(place)].children where mayHide(Int(child.value), level) {
                    let other = Int(child.value)
                    queue.push(other, self.merit(of: other, flaws, known))
                }
            }
        }
        // Where no part is left the whole has to go.
        while let place = flaws.keys.sorted().first(where: {
            mayHide(Int(problem.relations[$0].parent.value), level)
        }) {
            hide(Int(problem.relations[place].parent.value), in: &flaws, &known)
        }
    }

    private mutating func hide(_ column: Int, in flaws: inout [Int: Flaw], _ known: inout [Bool]) {
        let own = relationsOfColumn[column].first { place in
            flaws[Int(place)] != nil && problem.relations[Int(place)].parent.value != UInt32(column)
        }
        let relation = problem.relations[Int(own ?? relationsOfColumn[column].first ?? 0)]
        reasons[column] =
            switch own.flatMap({ flaws[Int($0)] }) {
            case .smallUnion(let single?): .wouldReveal(single)
            case .smallUnion(nil): .closesUnion(parent: relation.parent)
            case .tooLight, .alone, nil: .wouldBound
            }
        published[column] = false
        known[column] = false
        for place in relationsOfColumn[column] { flaws[Int(place)] = flaw(of: Int(place), known: known) }
    }

    /// What hiding a cell mends of flaws, less those that it makes, by its cost; ties by the secret.
    private func merit(of column: Int, _ flaws: [Int: Flaw], _ known: [Bool]) -> Double {
        var mended = 0.0
        var made = 0.0
        for place in relationsOfColumn[column] {
            let relation = problem.relations[Int(place)]
            if Int(relation.parent.value) == column { continue }
            switch flaws[Int(place)] {
            case .smallUnion?, .alone?: mended += 1
            case .tooLight(let measure, let missing)?:
                mended += min(1, Double(values[measure][column]) / Double(missing))
            case nil:
                guard known[Int(relation.parent.value)] else { continue }
                if !relation.children.contains(where: { !known[Int($0.value)] }) { made += 1 }
            }
        }
        guard mended > 0 else { return 0 }
        let net = max(mended - made, mended / 16)
        return net / Double(problem.cells[column].cost) + Double(ties[column] >> 40) * 1e-16
    }

    /// What is wrong with a relation, given which cells are known.
    func flaw(of place: Int, known: [Bool]) -> Flaw? {
        let relation = problem.relations[place]
        guard known[Int(relation.parent.value)] else { return nil }
        let unknown = relation.children.filter {
            !known[Int($0.value)] && problem.columns.length(of: Int($0.value)) > 0
        }
        guard let first = unknown.first else { return nil }
        let isWhole = unknown.count == relation.children.count
        let isLarge = isWhole && problem.cells[Int(relation.parent.value)].floor >= problem.threshold
        if !isLarge, problem.unionFloor(unknown) < problem.threshold {
            return .smallUnion(single: unknown.count == 1 ? first : nil)
        }
        for measure in values.indices {
            var hidden: Int64 = 0
            var target: Int64 = 0
            for child in unknown {
                hidden += values[measure][Int(child.value)]
                target = max(target, targets[measure][Int(child.value)])
            }
            if hidden < target { return .tooLight(measure: measure, missing: target - hidden) }
        }
        if !isWhole, unknown.count == 1, !problem.cells[Int(first.value)].isSensitive { return .alone }
        return nil
    }

    func mayHide(_ column: Int, _ level: Int) -> Bool {
        published[column] && problem.cells[column].level == level && !problem.cells[column].isForced
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
