extension LevelSearch {
    /// Needs up to which a witness of each is looked for at once.
    private static let few = 48
    /// How often each pair of dimensions is swept for one table.
    private static let sweeps = 3
    /// Tables one after the other that prove next to nothing new, after which what is left is looked at alone.
    private static let mostVain = 6
    /// Changes of leaves in all witnesses, beyond which tables take too much memory: some eight bytes each.
    private static let mostChanges = 170_000_000
    /// A table proves little that is new where it proves one need of so many that were open.
    private static let fast = 40
    /// What an open need is worth at least.
    private static let least: Int64 = 64

    /// Looks for tables that prove many needs each.
    ///
    /// In the true table what is hidden is small everywhere, so that a cell is raised by many small switches, and often by
    /// none. A table in which some of the hidden cells are large and most are empty agrees with what is published just as
    /// well, and proves all that are large. What each need is worth is drawn anew for each table; where a table proves little
    /// that is new, those that have proofs are worth a little, too, so that the next one is another one everywhere.
    mutating func proveByTables(against published: [Bool], until end: ContinuousClock.Instant) {
        for measure in problem.measures.indices {
            var open = missingLeaves(measure)
            guard open.count > Self.few, var exchange = tables[measure] else { continue }
            let board = SwitchBoard(grid, problem.measures[measure], published: published)
            var random = SecretGenerator(seed: 5)
            var vain = 0
            // What is gathered for one need takes some layers, a table all layers: so many needs, in the same time.
            let fewest = max(2, grid.sizes.reduce(0, +) * 3 / 8 / grid.sizes.count)
            var isStuck = false
            while open.count > Self.few, vain < Self.mostVain, store.changeCount < Self.mostChanges,
                ContinuousClock().now < end
            {
                exchange.forgetWishes()
                if isStuck {
                    for (need, leaf) in leaves(measure) where store.needs[need].direction == .up {
                        let worth = Int64.random(in: 0..<Self.least / 4, using: &random)
                        exchange.wish(.reach(goal(of: need), worth: worth), at: grid.places[Int(leaf)])
                    }
                }
                for (need, leaf) in open {
                    let worth = Self.least << Int64.random(in: 0..<12, using: &random)
                    exchange.wish(
                        store.needs[need].direction == .up
                            ? .reach(goal(of: need), worth: worth) : .stayUnder(goal(of: need), worth: worth),
                        at: grid.places[Int(leaf)])
                }
                for _ in 0..<Self.sweeps { exchange.sweep(on: board, using: &random) }
                store.add(exchange.witness(measure))
                let rest = missingLeaves(measure)
                isStuck = !isStuck && (open.count - rest.count) * Self.fast < open.count
                vain = open.count - rest.count < fewest ? vain + 1 : 0
                open = rest
            }
        }
    }

    /// Needs of single leaves that lack a proof.
    private func missingLeaves(_ measure: Int) -> [(need: Int, leaf: UInt32)] {
        leaves(measure).filter { !store.isProved($0.need) }
    }

    /// Needs of single leaves.
    private func leaves(_ measure: Int) -> [(need: Int, leaf: UInt32)] {
        store.needs.indices.compactMap { need in
            let proof = store.needs[need]
            let leaves = problem.columns[Int(proof.column)]
            return proof.measure == measure && leaves.count == 1 ? leaves.first.map { (need, $0) } : nil
        }
    }

    /// What a need's cell must reach in another table.
    func goal(of need: Int) -> Int64 {
        let proof = store.needs[need]
        let value = values[proof.measure][Int(proof.column)]
        return proof.direction == .up ? value + proof.distance : value - proof.distance
    }
}
