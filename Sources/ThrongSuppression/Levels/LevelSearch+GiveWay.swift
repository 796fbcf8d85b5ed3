extension LevelSearch {
    /// What looks for less to hide, the fastest first.
    private enum Look: CaseIterable {
        case fewSwitches
        case gathering
        case switches
        case wayBack
    }

    /// Cells up to which what a witness moves is hidden without a look for less.
    private static let mostNear = 12
    /// Sweeps on the way back.
    private static let mostSweeps = 40

    /// Hides what of a level stands against a need's last witness, so that what stood before the level stands again.
    ///
    /// Where that witness is a table that differs nearly everywhere, one on the way back to the true one takes its place, as
    /// near as the need lets it come.
    ///
    /// - Parameter end: how long there is time for that.
    /// - Returns: what was hidden; nil where the need never had a witness.
    mutating func giveWay(
        to need: Int, _ level: Int, _ repairs: inout LevelRepairs, until end: ContinuousClock.Instant
    ) -> [Int]? {
        guard let moves = store.moves(of: need) else { return nil }
        var victims = moves.map { Int($0) }.filter { mayHide($0, level) }
        var nearer: SuppressionPattern.Witness?
        for look in Look.allCases where victims.count > Self.mostNear && ContinuousClock().now < end {
            let seen =
                switch look {
                case .fewSwitches: switched(need, level, &repairs, isQuick: true)
                case .gathering: gathered(need, level, &repairs, until: end)
                case .switches: switched(need, level, &repairs, isQuick: false)
                case .wayBack: wayBack(need, level, until: end)
                }
            guard let found = seen else { continue }
            let moved = store.columns(movedBy: found)
            let proof = store.needs[need]
            let reached = moved.first { $0.column == proof.column }?.amount ?? 0
            guard (proof.direction == .up ? reached : -reached) >= proof.distance else { continue }
            let less = moved.map { Int($0.column) }.filter { mayHide($0, level) }
            if less.count < victims.count { (victims, nearer) = (less, found) }
        }
        for victim in victims {
            published[victim] = false
            reasons[victim] = .bounds(ColumnIndex(store.needs[need].column))
        }
        if let nearer { store.add(nearer) }
        store.lookAgain(at: need, published)
        return victims
    }

    /// What of the levels above is published.
    private func former(_ level: Int) -> [Bool] {
        published.indices.map { published[$0] && problem.cells[$0].level < level }
    }

    private func switched(
        _ need: Int, _ level: Int, _ repairs: inout LevelRepairs, isQuick: Bool
    ) -> SuppressionPattern.Witness? {
        var above = repairs.above ?? climbers(against: former(level))
        repairs.above = nil
        defer { repairs.above = above }
        return find(need, with: &above, isQuick: isQuick)
    }

    private func gathered(
        _ need: Int, _ level: Int, _ repairs: inout LevelRepairs, until end: ContinuousClock.Instant
    ) -> SuppressionPattern.Witness? {
        let above = repairs.above ?? climbers(against: former(level))
        repairs.above = above
        var tables = tables
        return gathered(need, on: above[store.needs[need].measure].board, from: &tables, isWide: false, until: end)
    }

    private func wayBack(
        _ need: Int, _ level: Int, until end: ContinuousClock.Instant
    ) -> SuppressionPattern.Witness? {
        let proof = store.needs[need]
        guard let witness = store.witness(of: need),
            var exchange = tables[proof.measure]
        else { return nil }
        let board = SwitchBoard(grid, problem.measures[proof.measure], published: former(level))
        exchange.add(witness)
        exchange.wishTruth()
        for leaf in problem.columns[Int(proof.column)] {
            let place = grid.places[Int(leaf)]
            exchange.wish(.meet(exchange.amount(at: place), worth: 1 << 20), at: place)
        }
        var random = SecretGenerator(seed: 6)
        for _ in 0..<Self.mostSweeps where ContinuousClock().now < end { exchange.sweep(on: board, using: &random) }
        return exchange.witness(proof.measure)
    }
}
