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

    /// Hides cells of a level wherever a relation is flawed, until none is that the level could mend.
    ///
    /// Only ``Flaw/smallUnion`` breaks a promise; the others make proofs impossible, and it is cheaper to see that here.
    ///
    /// - Complexity: O(relations · children), and as much again for the relations of each cell that is hidden.
    mutating func close(_ level: Int, known: [Bool]) {
        var known = known
        var waiting = Array(problem.relations.indices)
        var isWaiting = Array(repeating: true, count: waiting.count)
        while let place = waiting.popLast() {
            isWaiting[place] = false
            guard let flaw = flaw(of: place, known: known), let victim = victim(of: place, for: flaw, level) else {
                continue
            }
            published[victim] = false
            known[victim] = false
            reasons[victim] =
                switch flaw {
                case .smallUnion(let single?): .wouldReveal(single)
                case .smallUnion(nil): .closesUnion(parent: problem.relations[place].parent)
                case .tooLight, .alone: .wouldBound
                }
            for next in relationsOfColumn[victim] where !isWaiting[Int(next)] {
                isWaiting[Int(next)] = true
                waiting.append(Int(next))
            }
        }
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

    /// The cell of a level whose hiding mends a flaw best; the whole where no part is left.
    private func victim(of place: Int, for flaw: Flaw, _ level: Int) -> Int? {
        let relation = problem.relations[place]
        let parts = relation.children.map { Int($0.value) }.filter { mayHide($0, level) }
        let parent = Int(relation.parent.value)
        guard !parts.isEmpty else { return mayHide(parent, level) ? parent : nil }
        if case .tooLight(let measure, let missing) = flaw {
            let enough = parts.filter { values[measure][$0] >= missing }
            return enough.isEmpty ? parts.max { values[measure][$0] < values[measure][$1] } : cheapest(of: enough)
        }
        return cheapest(of: parts)
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
