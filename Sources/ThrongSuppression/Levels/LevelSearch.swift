/// Finds a pattern from the top down: a level is published, its unions are closed and everything sensitive is proved
/// before the next begins.
///
/// Invariant between levels: every sensitive cell has its witnesses and none follows from what is published. Within a level
/// cells are only ever hidden, and hiding all of it gives back what held before, so that it ends with everything proved.
struct LevelSearch {
    let problem: SuppressionProblem
    let grid: LeafGrid
    let options: SuppressionOptions
    var deadline: ContinuousClock.Instant
    /// By measure: the true table, from which others are reached by exchanges; nil where the cube has too many places.
    let tables: [LayerExchange?]
    let columnsOfLeaf: IndexLists
    /// By column, the relations that it is in.
    let relationsOfColumn: IndexLists
    /// By measure, by column.
    let values: [[Int64]]
    /// By measure, by column: what a sensitive cell must be able to reach; 0 for others.
    let targets: [[Int64]]
    /// By column: offered, and neither has a sensitive cell the same leaves nor does one of its parts have to reach more than
    /// it holds; and not settled yet, where a level is settled grouping by grouping.
    var isCandidate: [Bool]
    /// By column; breaks ties between equally useful cells.
    let ties: [UInt64]
    var published: [Bool]
    var reasons: [SuppressionPattern.Reason?]
    var store: ProofStore
    var statistics = SuppressionPattern.Statistics()

    /// - Complexity: O(incidences + relations · children).
    init(
        _ problem: SuppressionProblem, grid: LeafGrid, options: SuppressionOptions, deadline: ContinuousClock.Instant,
        using random: inout SecretGenerator
    ) {
        self.problem = problem
        self.grid = grid
        self.options = options
        self.deadline = deadline
        let count = problem.cells.count
        tables = problem.measures.map { LayerExchange(grid, $0) }
        columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
        var lists: [[UInt32]] = Array(repeating: [], count: count)
        for (place, relation) in problem.relations.enumerated() {
            for column in [relation.parent] + relation.children { lists[Int(column.value)].append(UInt32(place)) }
        }
        relationsOfColumn = IndexLists(lists)
        let values = problem.measures.map { measure in
            (0..<count).map { column in problem.columns[column].reduce(Int64(0)) { $0 + measure.values[Int($1)] } }
        }
        self.values = values
        let targets = problem.measures.enumerated().map { number, measure in
            (0..<count).map { column in
                problem.cells[column].isSensitive
                    ? measure.targets(of: values[number][column], threshold: problem.threshold).upper : 0
            }
        }
        self.targets = targets
        // A whole of k events, of which no part has k: no other table that agrees with it has more in a part.
        let hopeless = Set(
            problem.relations.filter { relation in
                values.indices.contains { measure in
                    let whole = values[measure][Int(relation.parent.value)]
                    return relation.children.contains { targets[measure][Int($0.value)] > whole }
                }
            }.map(\.parent.value))
        var sensitive: Set<ArraySlice<UInt32>> = []
        for column in 0..<count where problem.cells[column].isSensitive { sensitive.insert(problem.columns[column]) }
        isCandidate = (0..<count).map { column in
            problem.cells[column].isOffered && !problem.columns[column].isEmpty
                && !sensitive.contains(problem.columns[column]) && !hopeless.contains(UInt32(column))
        }
        ties = (0..<count).map { _ in random.next() }
        published = Array(repeating: false, count: count)
        reasons = Array(repeating: nil, count: count)
        store = ProofStore(problem, values: values, columnsOfLeaf: columnsOfLeaf, grid: grid)
    }

    /// Settles level after level; one that is too much to be proved as a whole, grouping by grouping.
    mutating func run() {
        let levels = Set(isCandidate.indices.filter { isCandidate[$0] }.map { problem.cells[$0].level }).sorted()
        statistics.proofsNeeded = store.needs.count
        tell(.choosing)
        proveFromBelow(levels)
        var last = levels.first ?? 0
        for level in levels {
            guard take(level) || takeGroupings(of: level) else { break }
            last = level
        }
        // Witnesses may be others than when the level was settled, and fill fewer places.
        for column in published.indices where published[column] { isCandidate[column] = true }
        var repairs = LevelRepairs()
        for level in levels.reversed() where level <= last {
            while hideKnown(level, &repairs) { close(level, known: published) }
        }
        statistics.proofsMissing = store.missing.count
    }

    /// Publishes what it can of a level, or nothing.
    private mutating func take(_ level: Int) -> Bool {
        let before = published
        let now = ContinuousClock().now
        publish(level)
        resist(level)
        if settle(level) {
            store.prune()
            return true
        }
        published = before
        store.keepConsistent(with: published)
        if !store.missing.isEmpty {
            prove(against: published, isNarrow: true, until: deadline + max(.zero, deadline - now))
        }
        return false
    }

    /// Takes one grouping of a level after the other, first those of which the most can be shown; each has its share of the
    /// time that is left, and what one has settled none of the others takes back.
    ///
    /// - Returns: whether any could be taken.
    private mutating func takeGroupings(of level: Int) -> Bool {
        let all = isCandidate.indices.filter { isCandidate[$0] && problem.cells[$0].level == level }
        var sizes: [Int: Int] = [:]
        for case let number? in grid.groupingOfColumn { sizes[number, default: 0] += 1 }
        let groupings = Dictionary(grouping: all) { grid.groupingOfColumn[$0] ?? -1 }.sorted { one, other in
            let (mine, its) = (one.value.count * (sizes[other.key] ?? 1), other.value.count * (sizes[one.key] ?? 1))
            return mine == its ? one.key < other.key : mine > its
        }
        for column in all { isCandidate[column] = false }
        let end = deadline
        defer { deadline = end }
        var isAny = false
        for (place, grouping) in groupings.enumerated() where groupings.count > 1 {
            let now = ContinuousClock().now
            if now >= end { break }
            deadline = now + (end - now) / min(3, groupings.count - place)
            for column in grouping.value { isCandidate[column] = true }
            if take(level) { isAny = true }
            for column in grouping.value { isCandidate[column] = false }
        }
        return isAny
    }

    /// Proofs up to which each is looked for, whatever share of all is missing.
    private static let fewMissing = 256

    /// Whether so many proofs are missing after a first look that the rest is not worth the time.
    var isHopeless: Bool { store.missing.count > max(Self.fewMissing, store.needs.count / 3) }

    /// Tables that agree with all levels, then with all but the finest, and so on: what they prove need not be proved again
    /// for each level. They take half of the time at most.
    private mutating func proveFromBelow(_ levels: [Int]) {
        var all = self
        for level in levels { all.publish(level) }
        let start = ContinuousClock().now
        let latest = start + (deadline - start) / 2
        for level in levels.reversed() {
            if level == levels.last {
                prove(against: all.published, isNarrow: false, until: start + (deadline - start) / 6)
            } else {
                proveByTables(against: all.published, until: latest)
            }
            for column in all.published.indices where problem.cells[column].level == level {
                all.published[column] = false
            }
        }
    }

    private func tell(_ phase: SuppressionProgress.Phase) {
        options.progress?(
            SuppressionProgress(
                phase: phase, proofsDone: store.needs.count - store.missing.count, proofsNeeded: store.needs.count,
                round: statistics.rounds))
    }

    /// Publishes a level as far as its unions allow.
    ///
    /// - Parameter attacks: each has to be thwarted, too.
    mutating func publish(_ level: Int, against attacks: [Attack] = []) {
        for column in published.indices where isCandidate[column] && problem.cells[column].level == level {
            published[column] = true
        }
        cover(level, against: attacks)
        close(level, known: published)
    }

    /// Proves and repairs until a level is safe.
    ///
    /// When the time is over little is looked for any more: what lacks a proof and gets none by a few switches gets back the one
    /// that it had before the level, and what that moves is hidden.
    ///
    /// - Returns: false where even that took too long, and the level must go.
    private mutating func settle(_ level: Int) -> Bool {
        var repairs = LevelRepairs()
        let latest = deadline + max(.seconds(1), deadline - ContinuousClock().now)
        var mayRegain = true
        while ContinuousClock().now < latest {
            store.keepConsistent(with: published)
            var climbers = prove(against: published, isNarrow: true, until: deadline)
            if isHopeless { return false }
            if store.missing.isEmpty {
                tell(.proving)
                if !hideKnown(level, &repairs) {
                    guard mayRegain, ContinuousClock().now < deadline, regain(level, with: &climbers) else {
                        return true
                    }
                    mayRegain = false
                    continue
                }
            } else if ContinuousClock().now < deadline {
                tell(.repairing)
                guard mend(store.missing, level, &repairs, with: &climbers) else { return false }
            } else {
                tell(.coarsening)
                guard fallBack(level, &repairs, with: &climbers, until: deadline + (latest - deadline) * 3 / 4)
                else {
                    return false
                }
            }
            statistics.rounds += 1
            close(level, known: published)
        }
        return false
    }

    /// How much longer than others a need may take.
    private static let mostShare = 4
    /// What has to be there for more than a few switches to be looked at: in large cubes that takes half a second.
    private static let longShare = Duration.seconds(1)

    /// Hides cells of a level near one need after the other, until each has its proof.
    ///
    /// - Returns: false where nothing was left to hide.
    private mutating func mend(
        _ needs: [Int], _ level: Int, _ repairs: inout LevelRepairs, with climbers: inout [SwitchClimber]
    ) -> Bool {
        // The farthest first: what is hidden for them often serves the others.
        let order = needs.sorted { (store.needs[$0].distance, $1) > (store.needs[$1].distance, $0) }
        let isHasty = !proveTogether(order, with: climbers)
        var isTried = true
        for (place, need) in order.enumerated() {
            // What was hidden for others may have brought an older witness back.
            store.lookAgain(at: need, published)
            while !store.isProved(need) {
                let now = ContinuousClock().now
                if now >= deadline { return true }
                // A need may take what others leave, but not all of it.
                let share = (deadline - now) / (order.count - place) * Self.mostShare
                if !isTried, attempt(need, with: &climbers, isQuick: share < Self.longShare) { break }
                var hidden =
                    prove(
                        need, by: isHasty ? Way.fast : Way.ordinary, orHiding: level, in: Box.hiding, with: climbers,
                        until: min(deadline, now + share)) ?? []
                if hidden.isEmpty, !store.isProved(need) {
                    hidden = repair([(Int(store.needs[need].column), need)], level, &repairs)
                    if hidden.isEmpty, !store.isProved(need) { return false }
                }
                hide(hidden, from: &climbers)
                if !store.isProved(need) { store.lookAgain(at: need, published) }
                isTried = hidden.isEmpty && isTried
            }
        }
        return true
    }

    /// Needs, or one of so many parts of the time, after which it shows how often switches have an answer.
    private static let sampleOfClimbs = 64

    /// Looks for the witnesses that are missing: in tables, then by switches as long as they have some: gathering takes no
    /// longer, and has more.
    ///
    /// - Parameter isNarrow: whether switches come first where they mostly have an answer. It moves little, so that little
    ///   is hidden where a level has to give way to it.
    /// - Returns: by measure, what looked for them.
    @discardableResult
    mutating func prove(
        against published: [Bool], isNarrow: Bool, until end: ContinuousClock.Instant
    ) -> [SwitchClimber] {
        var climbers = climbers(against: published)
        if isNarrow { climb(&climbers, until: end, provingOneOf: 2) }
        proveByTables(against: published, until: end)
        climb(&climbers, until: end, provingOneOf: 4)
        return climbers
    }

    /// - Parameter ratio: ends where fewer than one need of so many is proved.
    private mutating func climb(
        _ climbers: inout [SwitchClimber], until end: ContinuousClock.Instant, provingOneOf ratio: Int
    ) {
        var (seen, found) = (0, 0)
        let start = ContinuousClock().now
        for need in store.missing where !store.isProved(need) {
            let now = ContinuousClock().now
            let isSample = seen >= Self.sampleOfClimbs || now - start > (end - start) / Self.sampleOfClimbs
            if now >= end || isSample && found * ratio < seen { break }
            seen += 1
            if attempt(need, with: &climbers) { found += 1 }
        }
    }

    func climbers(against published: [Bool]) -> [SwitchClimber] {
        problem.measures.map { measure in
            SwitchClimber(
                SwitchBoard(grid, measure, published: published), columns: problem.columns)
        }
    }

    @discardableResult
    mutating func attempt(_ need: Int, with climbers: inout [SwitchClimber], isQuick: Bool = false) -> Bool {
        guard let witness = find(need, with: &climbers, isQuick: isQuick) else { return false }
        store.add(witness)
        return store.isProved(need)
    }

    func find(
        _ need: Int, with climbers: inout [SwitchClimber], isQuick: Bool
    ) -> SuppressionPattern.Witness? {
        let proof = store.needs[need]
        for target in targets(of: Int(proof.column), proof.measure) {
            guard
                let found = climbers[proof.measure].climb(
                    target, proof.direction, by: proof.distance, isQuick: isQuick)
            else { continue }
            return .init(measure: proof.measure, changes: found.changes, arrivals: found.arrivals, proves: [])
        }
        return nil
    }

    /// What may be moved to move a cell: all of it where its grouping keeps buckets, else from one of its leaves.
    private func targets(of column: Int, _ measure: Int) -> [SwitchClimber.Target] {
        let leaves = problem.columns[column]
        let held = problem.measures[measure].values
        let largest = leaves.sorted { held[Int($0)] > held[Int($1)] }.prefix(4)
        let number = grid.groupingOfColumn[column]
        return (number.map { grid.groupings[$0].keepsBuckets } ?? false ? largest.prefix(1) : largest).map { leaf in
            let place = grid.places[Int(leaf)]
            let isWhole = number.map { grid.groupings[$0].keepsBuckets } ?? false
            return SwitchClimber.Target(
                place: place,
                lanes: isWhole
                    ? number.map { grid.groupings[$0].kept } ?? .init(repeating: true) : .init(repeating: true),
                cell: number.map { ($0, grid.groupings[$0].cell(of: place)) }, leaves: leaves)
        }
    }
}
