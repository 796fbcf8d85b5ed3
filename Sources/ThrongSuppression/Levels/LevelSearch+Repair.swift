/// What repairs of one level know of each other.
struct LevelRepairs {
    /// How often each cell was helped.
    fileprivate var times: [Int: Int] = [:]
    /// What looks for witnesses that agree with the levels above; nil until it is needed.
    var above: [SwitchClimber]?
}

extension LevelSearch {
    /// After how many cells near a sensitive one were hidden in vain the level gives way to its former witness.
    private static let cells = 3

    /// Hides cells of a level near sensitive ones that lack a proof.
    ///
    /// - Parameter open: the sensitive columns, and the need that each lacks a proof of, if that is what it lacks.
    /// - Returns: what was hidden.
    mutating func repair(_ open: [(column: Int, need: Int?)], _ level: Int, _ repairs: inout LevelRepairs) -> Set<Int> {
        var hidden: Set<Int> = []
        for (column, need) in open {
            let around = around(column, level)
            let near = around.own + around.beside
            if near.contains(where: hidden.contains) { continue }
            let times = repairs.times[column, default: 0]
            repairs.times[column] = times + 1
            var victims: [Int]
            if times < Self.cells {
                victims = (cheapest(of: around.own) ?? cheapest(of: around.beside)).map { [$0] } ?? []
            } else {
                victims = []
            }
            if victims.isEmpty, let need, let gone = giveWay(to: need, level, &repairs, until: deadline) {
                hidden.formUnion(gone)
                if store.isProved(need) { continue }
            }
            if victims.isEmpty, need == nil { victims = near }
            if victims.isEmpty { victims = published.indices.filter { mayHide($0, level) } }
            for victim in victims where published[victim] {
                published[victim] = false
                reasons[victim] = .bounds(ColumnIndex(UInt32(column)))
                hidden.insert(victim)
            }
        }
        return hidden
    }

    /// What a program of a small box takes, with what has to be done after it.
    private static let timeOfProgram = Duration.milliseconds(4)

    /// Hides what stands against the witnesses of the level above, where there is none now: one need after the other, because
    /// what is hidden for one lets others be proved by a switch.
    ///
    /// - Parameter end: how long switches are looked for.
    /// - Returns: false where a cell never had one.
    mutating func fallBack(
        _ level: Int, _ repairs: inout LevelRepairs, with climbers: inout [SwitchClimber],
        until end: ContinuousClock.Instant
    ) -> Bool {
        let missing = store.missing
        for (place, need) in missing.enumerated() {
            store.lookAgain(at: need, published)
            if store.isProved(need) { continue }
            if store.moves(of: need) == nil { return false }
            let left = end - ContinuousClock().now
            if left > .zero {
                if attempt(need, with: &climbers, isQuick: true) { continue }
                if left / (missing.count - place) > Self.timeOfProgram,
                    let hidden = prove(
                        need, by: Way.fast, orHiding: level, in: [.small], with: climbers, until: end)
                {
                    hide(hidden, from: &climbers)
                    if store.isProved(need) { continue }
                }
            }
            guard let hidden = giveWay(to: need, level, &repairs, until: end) else { return false }
            if left > .zero { hide(Set(hidden), from: &climbers) }
        }
        return true
    }

    func hide(_ columns: Set<Int>, from climbers: inout [SwitchClimber]) {
        for column in columns {
            for place in climbers.indices { climbers[place].board.hide(column, leaves: problem.columns[column]) }
        }
    }

    /// Needs that are proved anew for one cell to be published again.
    private static let mostAnew = 400

    /// Publishes hidden cells of a level again, the most useful first, where unions allow it and whatever a witness moved
    /// them for has another witness.
    ///
    /// - Returns: whether there were any.
    mutating func regain(_ level: Int, with climbers: inout [SwitchClimber]) -> Bool {
        let before = statistics.regained
        let hidden = published.indices.filter {
            isCandidate[$0] && !published[$0] && problem.cells[$0].level == level
        }
        for column in hidden.sorted(by: { (problem.cells[$0].cost, ties[$0]) > (problem.cells[$1].cost, ties[$1]) }) {
            if ContinuousClock().now >= deadline { break }
            published[column] = true
            let isSmall = relationsOfColumn[column].contains { place in
                switch flaw(of: Int(place), known: published) {
                case .smallUnion, .alone: true
                case .tooLight, nil: false
                }
            }
            let isStanding = !isSmall && stands(with: column, &climbers)
            if isStanding {
                reasons[column] = nil
                statistics.regained += 1
            } else {
                published[column] = false
            }
        }
        return statistics.regained > before
    }

    /// Whether everything is proved with a cell published besides; proofs that are missing are looked for.
    private mutating func stands(with column: Int, _ climbers: inout [SwitchClimber]) -> Bool {
        let needs = store.needs(movedThrough: UInt32(column))
        guard needs.count <= Self.mostAnew else { return false }
        let leaves = problem.columns[column]
        for place in climbers.indices { climbers[place].board.show(column, leaves: leaves) }
        let contradicted = store.contradict(UInt32(column))
        var tables = tables
        for need in needs where !store.isProved(need) {
            if attempt(need, with: &climbers) { continue }
            let measure = store.needs[need].measure
            if let witness = witness(
                of: need, on: climbers[measure].board, from: &tables, by: Way.fast, until: deadline)
            {
                store.add(witness)
                if store.isProved(need) { continue }
            }
            for place in climbers.indices { climbers[place].board.hide(column, leaves: leaves) }
            store.agree(contradicted)
            return false
        }
        return true
    }

    /// Cells of a level that hold leaves of a sensitive one, and those that share a known whole with it or with one that
    /// holds its leaves.
    private func around(_ column: Int, _ level: Int) -> (own: [Int], beside: [Int]) {
        var holding: Set<UInt32> = []
        for leaf in problem.columns[column].prefix(64) { holding.formUnion(columnsOfLeaf[Int(leaf)]) }
        let own = holding.map { Int($0) }.filter { mayHide($0, level) }.sorted()
        var beside: Set<Int> = []
        for part in holding where problem.cells[Int(part)].level == level || Int(part) == column {
            for place in relationsOfColumn[Int(part)] {
                let relation = problem.relations[Int(place)]
                guard published[Int(relation.parent.value)], relation.children.count < 2_000 else { continue }
                for child in relation.children where mayHide(Int(child.value), level) {
                    beside.insert(Int(child.value))
                }
            }
        }
        return (own, beside.subtracting(own).sorted())
    }

    /// Hides what lets somebody compute a sensitive cell or a small union: L1, L2 and singletons, against somebody who
    /// knows which leaves are empty.
    ///
    /// - Returns: whether anything was hidden.
    mutating func hideKnown(_ level: Int, _ repairs: inout LevelRepairs) -> Bool {
        let atoms = problem.atoms(filledBy: grid.fitsProgram ? store.used() : [])
        let probe = SpanProbe(
            atoms.columns, leafCount: atoms.count, published: published)
        var known = published
        var open: [(column: Int, need: Int?)] = []
        for column in known.indices where !known[column] && problem.columns.length(of: column) > 0 {
            guard probe.isKnown(atoms.columns[column]) else { continue }
            known[column] = true
            if problem.cells[column].isSensitive { open.append((column, nil)) }
        }
        open += peeled(probe, atoms.columns).map { ($0, nil) }
        if !open.isEmpty { return !repair(open, level, &repairs).isEmpty }
        let before = published
        var tallies = RelationTallies(problem, values: values, targets: targets, known: known)
        for (place, relation) in problem.relations.enumerated() where known[Int(relation.parent.value)] {
            guard case .smallUnion = tallies.flaw(of: place) else { continue }
            let parts = relation.children.map { Int($0.value) }.filter { mayHide($0, level) }
            // Parts that are hidden and known anyway are known by cells beside them.
            let others = relation.children.map { Int($0.value) }.filter { known[$0] && !published[$0] }
                .map { around($0, level) }.flatMap { $0.own + $0.beside }
            let whole = [Int(relation.parent.value)].filter { mayHide($0, level) }
            let victims =
                [others, parts, whole].first { !$0.isEmpty } ?? published.indices.filter { mayHide($0, level) }
            guard let victim = cheapest(of: victims) else { continue }
            published[victim] = false
            known[victim] = false
            reasons[victim] = .closesUnion(parent: relation.parent)
            for other in relationsOfColumn[victim]
            where Int(problem.relations[Int(other)].parent.value) != victim {
                tallies.add(ColumnIndex(UInt32(victim)), to: Int(other))
            }
        }
        return published != before
    }

    /// Sensitive cells that follow from what is published and one device's own number.
    private func peeled(_ probe: SpanProbe, _ columns: IndexLists) -> [Int] {
        var alone: [UInt64: [ArraySlice<UInt32>]] = [:]
        let events = problem.measures[0].values
        var isShared = Array(repeating: false, count: problem.leafCount)
        for column in problem.cells.indices where problem.columns.length(of: column) == 1 {
            if problem.cells[column].floor > 1, let leaf = problem.columns[column].first { isShared[Int(leaf)] = true }
        }
        for leaf in events.indices where events[leaf] == 1 && !isShared[leaf] {
            let leaves: ArraySlice<UInt32> = [UInt32(leaf)]
            if let direction = probe.direction(of: leaves) { alone[direction, default: []].append(leaves) }
        }
        for column in problem.cells.indices where problem.cells[column].floor == 1 {
            let leaves = problem.columns[column]
            if !leaves.isEmpty, let direction = probe.direction(of: columns[column]) {
                alone[direction, default: []].append(leaves)
            }
        }
        if alone.isEmpty { return [] }
        return problem.cells.indices.filter { column in
            guard problem.cells[column].isSensitive, let direction = probe.direction(of: columns[column]),
                let singles = alone[direction]
            else { return false }
            let own = Set(problem.columns[column])
            let floor = problem.cells[column].floor
            let isOne = floor == 1 || floor < 1 && values[0][column] == 1
            return singles.contains { !own.isSubset(of: $0) && !(isOne && own.isSuperset(of: $0)) }
        }
    }
}
