/// One attempt at a pattern: publish, close unions, look for witnesses, repair, regain.
struct PatternSearch {
    let problem: CompactProblem
    let original: SuppressionProblem
    private let deadline: ContinuousClock.Instant
    private let progress: (@Sendable (SuppressionProgress) -> Void)?

    private(set) var published: [Bool] = []
    private(set) var statistics = SuppressionPattern.Statistics()
    private(set) var store: WitnessStore
    private(set) var missing: [PatternProof] = []
    private(set) var closure: UnionClosure
    /// True by merged column if it is hidden for good, by L2 or by a repair that does not choose again.
    private var banned: [Bool]
    /// Sums over leaves that must not become computable, though no cell shows them; leaves ascending.
    private var forbidden: [[Term]]
    private var order: [UInt32] = []
    private var fewCircuits = Yield()
    /// Proofs whose linear program has a solution but no whole one; hiding more leaves it one.
    private var fractional: Set<PatternProof> = []

    init(
        _ problem: CompactProblem, original: SuppressionProblem, deadline: ContinuousClock.Instant,
        progress: (@Sendable (SuppressionProgress) -> Void)? = nil
    ) {
        self.problem = problem
        self.original = original
        self.deadline = deadline
        self.progress = progress
        closure = UnionClosure(problem, original: original)
        forbidden = closure.smallUnions
        banned = Array(repeating: false, count: problem.columnCount)
        store = WitnessStore(problem, needed: [])
    }

    /// The attempt's rank: fewer cells without proof come first, then less cost.
    var rank: Rank { Rank(unproved: missing.count, cost: extraCost) }

    /// The order in which attempts compare.
    struct Rank: Comparable {
        let unproved: Int
        let cost: Int64
        static func < (left: Self, right: Self) -> Bool { (left.unproved, left.cost) < (right.unproved, right.cost) }
    }

    /// The cost of hidden cells that are not sensitive.
    var extraCost: Int64 {
        problem.cost.indices.reduce(0) {
            published[$1] || problem.isSensitive[$1] ? $0 : $0.clampedSum(problem.cost[$1])
        }
    }

    /// Hides columns for good before the search begins: a pattern found by other means.
    mutating func hide(_ columns: Set<UInt32>) {
        for column in columns { banned[Int(column)] = true }
    }

    /// Searches until everything is proved, nothing is left to hide, or the time is over.
    ///
    /// Terminates: a round that forbids a combination rules its pattern out for ever; after ``forbiddingRounds`` of those
    /// every round hides at least one more column for good.
    mutating func run(using random: inout SecretGenerator) {
        let ties = (0..<problem.columnCount).map { _ in random.next() }
        order = (0..<UInt32(problem.columnCount)).sorted {
            (problem.cost[Int($0)], ties[Int($0)]) > (problem.cost[Int($1)], ties[Int($1)])
        }
        tell(.choosing)
        var system = choose()
        let needed = PatternProof.needed(for: problem, original: original)
        statistics.proofsNeeded = needed.count
        store = WitnessStore(problem, needed: needed)
        while true {
            let failures = audit(system, needed)
            if failures.isEmpty { break }
            if store.proved.count == needed.count { break }
            guard ContinuousClock().now < deadline else { break }
            statistics.rounds += 1
            tell(.repairing)
            let isChanged =
                statistics.rounds <= Self.forbiddingRounds ? forbid(combinations(of: failures, system)) : false
            if !isChanged, !hideForGood(failures) { break }
            keepHidden()
            tell(.choosing)
            system = choose()
            store.keepConsistent(with: published)
        }
        missing = needed.filter { store.proved[$0] == nil }
        statistics.proofsMissing = missing.count
        if missing.isEmpty { regain(system) }
    }

    /// The number of rounds that forbid combinations and choose again; later ones hide for good.
    private static let forbiddingRounds = 40

    private func tell(_ phase: SuppressionProgress.Phase) {
        progress?(
            SuppressionProgress(
                phase: phase, proofsDone: store.proved.count, proofsNeeded: statistics.proofsNeeded,
                round: statistics.rounds))
    }

    /// Makes a pattern: a greedy pass, then L2 until nothing changes. It repeats this until neither leaves a
    /// combination computable that it must not, and forbids what it finds.
    ///
    /// Terminates: a combination that is forbidden is never found again.
    private mutating func choose() -> PublishedSystem {
        while true {
            let greedy = GreedyPublisher(problem, order: order, banned: banned, forbidden: forbidden)
            published = greedy.published
            let system = settle()
            if !forbid(leftComputable(by: system)) { return system }
        }
    }

    /// Forbids combinations; returns true if any of them was not forbidden already.
    private mutating func forbid(_ combinations: [[Term]]) -> Bool {
        if combinations.isEmpty { return false }
        var seen = Set(forbidden)
        let new = combinations.filter { seen.insert($0).inserted }
        forbidden += new
        return !new.isEmpty
    }

    /// Closes unions against the computable cells, and publishes cells that can be computed anyway.
    private mutating func settle() -> PublishedSystem {
        var system = PublishedSystem(problem, published: published)
        while true {
            let hidden = closure.close(&published, derivable: system.isDerivable)
            if hidden.isEmpty { break }
            for column in hidden { banned[column] = true }
            system = PublishedSystem(problem, published: published)
        }
        // Hiding what everybody can compute protects nobody.
        for column in published.indices where system.isDerivable[column] && !problem.isSensitive[column] {
            published[column] = true
        }
        return system
    }

    /// Looks for witnesses: circuits, then programs over neighbourhoods.
    private mutating func audit(_ system: PublishedSystem, _ needed: [PatternProof]) -> [Failure] {
        var climber = CircuitClimber(problem, system: system)
        for proof in needed where store.proved[proof] == nil {
            if let change = climber.climb(proof) { store.add(change, measure: proof.measure) }
        }
        tell(.proving)
        if statistics.rounds == 0 { statistics.proofsByCircuits = store.proved.count }
        let budget = SolverBudget(deadline: deadline)
        var attack = Attack(
            circuits: CircuitProgram(problem, system: system, budget: budget),
            leaves: LocalAttack(problem: problem, system: system, budget: budget))
        var failures: [Failure] = []
        for proof in needed where store.proved[proof] == nil && !fractional.contains(proof) {
            if ContinuousClock().now >= deadline || failures.count >= Self.failuresPerRound { break }
            switch program(&attack, proof, isWhole: false) {
            case .bounded(let named): failures.append(Failure(proof: proof, bound: named))
            case .fractional: fractional.insert(proof)
            case .undecided: failures.append(Failure(proof: proof, bound: .none))
            case .witness: break
            }
        }
        if !failures.isEmpty { return failures }
        // Integer programs cost twenty times as much: they come when nothing else is left to repair.
        for proof in needed where store.proved[proof] == nil {
            if ContinuousClock().now >= deadline || failures.count >= Self.failuresPerRound { break }
            switch program(&attack, proof, isWhole: true) {
            case .bounded(let named): failures.append(Failure(proof: proof, bound: named))
            case .fractional, .undecided: failures.append(Failure(proof: proof, bound: .none))
            case .witness: break
            }
        }
        return failures
    }

    /// The most failures that are collected in a round; one repair often helps many cells, so more are not looked for.
    private static let failuresPerRound = 100

    /// Both kinds of programs over one pattern.
    private struct Attack {
        var circuits: CircuitProgram
        var leaves: LocalAttack

        enum Outcome {
            case witness
            case bounded(Bound)
            case fractional
            case undecided
        }
    }

    /// Solves for one cell: over the circuits near it, and over a neighbourhood of leaves if those do not decide it.
    private mutating func program(_ attack: inout Attack, _ proof: PatternProof, isWhole: Bool) -> Attack.Outcome {
        tell(.proving)
        if !isWhole, fewCircuits.pays {
            statistics.programs += 1
            fewCircuits.tried += 1
            let outcome = attack.circuits.run(proof, circuitLimit: Self.fewCircuitsLimit, isWhole: false)
            if case .witness(let change) = outcome {
                fewCircuits.succeeded += 1
                store.add(change, measure: proof.measure)
                return .witness
            }
        }
        statistics.programs += 1
        switch attack.circuits.run(proof, circuitLimit: Self.circuitLimit, isWhole: isWhole) {
        case .witness(let change):
            store.add(change, measure: proof.measure)
            return .witness
        case .bounded(let leaves): return .bounded(.leaves(leaves))
        case .fractional where !isWhole: return .fractional
        case .fractional, .undecided: break
        }
        statistics.programs += 1
        switch attack.leaves.run(proof, leafLimit: Self.leafLimit, isWhole: isWhole) {
        case .witness(let change):
            store.add(change, measure: proof.measure)
            return .witness
        case .bounded(let named): return .bounded(.columns(named))
        case .fractional: return .fractional
        case .undecided: return .undecided
        }
    }

    private static let fewCircuitsLimit = 120
    private static let circuitLimit = 600
    private static let leafLimit = 2_000

    /// The success of programs over few circuits.
    private struct Yield {
        var tried = 0
        var succeeded = 0
        var pays: Bool { tried < 24 || succeeded * 4 > tried }
    }

    /// A proof that could not be found, and the bound that is to blame.
    private struct Failure {
        let proof: PatternProof
        let bound: Bound
    }

    /// The bound that keeps a cell from moving.
    private enum Bound {
        /// These published columns, combined.
        case columns([(column: UInt32, multiplier: Double)])
        /// The cell plus these leaves is a sum that can be computed.
        case leaves([(leaf: UInt32, weight: Double)])
        /// Nobody knows.
        case none
    }

    /// Keeps hidden cells hidden while repairing.
    ///
    /// A pattern that only shrinks keeps all its witnesses; choosing freely again lost a third of them in every round
    /// of a table in four dimensions. ``regain(_:)`` publishes in the end what this hides too much.
    private mutating func keepHidden() {
        for column in published.indices where !published[column] && !problem.isSensitive[column] && !banned[column] {
            banned[column] = true
        }
    }

    /// Returns combinations that bound a cell and must not be computable any more.
    private func combinations(of failures: [Failure], _ system: PublishedSystem) -> [[Term]] {
        var result: [[Term]] = []
        for failure in failures {
            var sums: [UInt32: UInt64] = [:]
            switch failure.bound {
            case .columns(let named):
                let scale = Self.commonScale(named.map(\.multiplier))
                for (column, multiplier) in named {
                    let whole = Mersenne61.residue(Int64((multiplier * scale).rounded()))
                    for leaf in problem.columns[Int(column)] where system.isActive[Int(leaf)] {
                        sums[leaf] = Mersenne61.add(sums[leaf] ?? 0, whole)
                    }
                }
            case .leaves(let weighted):
                let scale = Self.commonScale(weighted.map(\.weight))
                let sign: Int64 = failure.proof.direction == .up ? 1 : -1
                let own = Mersenne61.residue(Int64(scale) * sign)
                for leaf in problem.columns[Int(failure.proof.column)] { sums[leaf] = own }
                for (leaf, weight) in weighted {
                    let whole = Mersenne61.residue(Int64((weight * scale).rounded()))
                    sums[leaf] = Mersenne61.add(sums[leaf] ?? 0, whole)
                }
            case .none: continue
            }
            let vector = sums.filter { $0.value != 0 }.map { Term(leaf: $0.key, coefficient: $0.value) }
                .sorted { $0.leaf < $1.leaf }
            if !vector.isEmpty { result.append(vector) }
        }
        return result
    }

    /// Returns a factor that makes a dual's coefficients whole; those of tables are small fractions.
    private static func commonScale(_ multipliers: [Double]) -> Double {
        for scale in 1...60 {
            let factor = Double(scale)
            if multipliers.allSatisfy({ abs($0 * factor - ($0 * factor).rounded()) < 1e-4 }) { return factor }
        }
        return 1_000
    }

    /// Hides the cheapest published column that bounds each unproved cell; failing that, the cheapest that meets it.
    private mutating func hideForGood(_ failures: [Failure]) -> Bool {
        var isChanged = false
        for failure in failures {
            let named: [Int] =
                switch failure.bound {
                case .columns(let named): named.map { Int($0.column) }
                case .leaves(let weighted): weighted.flatMap { problem.columnsOfLeaf[Int($0.leaf)] }.map { Int($0) }
                case .none: []
                }
            let near = problem.columns[Int(failure.proof.column)].flatMap { problem.columnsOfLeaf[Int($0)] }.map {
                Int($0)
            }
            for candidates in [named, near] {
                let hideable = candidates.filter { published[$0] }
                guard let victim = hideable.min(by: { (problem.cost[$0], $0) < (problem.cost[$1], $1) }) else {
                    continue
                }
                if !banned[victim] {
                    banned[victim] = true
                    isChanged = true
                }
                break
            }
        }
        return isChanged
    }

    /// Publishes hidden cells that contradict no witness: repair and L2 hide more than they must.
    ///
    /// A witness that survives proves L1 and L3 of its cell, so all cells must have theirs before this is done. L2 and
    /// singletons are checked again afterwards.
    private mutating func regain(_ system: PublishedSystem) {
        let before = (published, banned, closure, statistics.regained)
        var basis = system.basis
        var known = published
        let sums = store.movedColumns()
        for place in order {
            let column = Int(place)
            if published[column] || problem.isSensitive[column] { continue }
            if sums.contains(place) { continue }
            let reduced = basis.reduce(problem.columns[column])
            if !reduced.isEmpty, system.givesSingletons(reduced, in: &basis, of: problem) { continue }
            known[column] = true
            if closure.relations(of: column).contains(where: { closure.failsUnion(Int($0), known: known) }) {
                known[column] = false
                continue
            }
            basis.publish(reduced) { system.singletons.penalty($0) }
            published[column] = true
            banned[column] = false
            statistics.regained += 1
        }
        if !leftComputable(by: settle()).isEmpty {
            (published, banned, closure, statistics.regained) = before
        }
    }
}
