extension SwitchClimber {
    /// Steps of one walk, walks for one amount, and leaves or places looked at for one step.
    private static let mostSteps = 28
    private static let walks = 3
    private static let mostCandidates = 32

    /// Moves a cell by walks where no switch of a known shape does: an amount is put into one place, and as long as some
    /// published cell is out of balance another place of it gives or takes as much.
    ///
    /// - Returns: how far the cell moved.
    mutating func walk(_ target: Target, by wanted: Int64, sign: Int) -> Int64 {
        var got: Int64 = 0
        var amount = wanted
        while got < wanted, amount > 0 {
            amount = min(amount, wanted - got)
            if sign < 0 { amount = min(amount, rest(at: target.place)) }
            guard amount > 0 else { break }
            var isDone = false
            for _ in 0..<Self.walks where !isDone { isDone = walkOnce(target, amount, sign: sign) }
            if isDone { got += amount } else { amount /= 3 }
        }
        return got
    }

    private mutating func walkOnce(_ target: Target, _ amount: Int64, sign: Int) -> Bool {
        var steps: [(place: LeafGrid.Place, sign: Int)] = []
        defer { balance.clear() }
        steps.append((target.place, sign))
        balance.add(target.place, Int32(sign), on: board)
        while steps.count <= Self.mostSteps {
            guard let open = balance.finest(on: board, using: &random) else {
                for step in steps { commit(amount * Int64(step.sign), at: step.place) }
                return true
            }
            let wanted = balance.net(open.grouping, open.cell) > 0 ? -1 : 1
            var best: (place: LeafGrid.Place, cost: Int)?
            for place in candidates(open, wanted, steps) {
                let cost = 4 * balance.cost(of: place, Int32(wanted), on: board) + Int.random(in: 0..<4, using: &random)
                guard cost < best?.cost ?? .max, isAllowed(place, wanted, amount, steps, target) else { continue }
                best = (place, cost)
            }
            guard let best else { return false }
            steps.append((best.place, wanted))
            balance.add(best.place, Int32(wanted), on: board)
        }
        return false
    }

    /// A place gives or takes within one walk, never both, and only the first step is in the cell.
    private func isAllowed(
        _ place: LeafGrid.Place, _ sign: Int, _ amount: Int64, _ steps: [(place: LeafGrid.Place, sign: Int)],
        _ target: Target
    ) -> Bool {
        var before: Int64 = 0
        for step in steps where step.place == place {
            if step.sign != sign { return false }
            before += 1
        }
        if target.holds(place, in: board.grid) { return false }
        return sign > 0 ? mayHold(place) : rest(at: place) >= amount * (before + 1)
    }

    /// Places of a published cell: its largest leaves where some must give; else leaves, and what the walk's own buckets
    /// make up.
    private mutating func candidates(
        _ open: (grouping: Int, cell: Int), _ sign: Int, _ steps: [(place: LeafGrid.Place, sign: Int)]
    ) -> [LeafGrid.Place] {
        let grouping = board.grid.groupings[open.grouping]
        guard let column = grouping.column(ofCell: open.cell), let first = columns[Int(column)].first else { return [] }
        let base = board.grid.places[Int(first)]
        var result: [LeafGrid.Place] = []
        let leaves =
            grouping.keepsBuckets ? board.donors(0, agreeing: grouping.kept, with: base) : columns[Int(column)]
        if leaves.count <= Self.mostCandidates {
            result = leaves.map { board.grid.places[Int($0)] }
        } else {
            for _ in 0..<Self.mostCandidates {
                // Large ones more often.
                let share = Double.random(in: 0..<1, using: &random)
                let index = leaves.startIndex + Int(share * share * Double(leaves.count))
                result.append(board.grid.places[Int(leaves[index])])
            }
        }
        guard sign > 0 else { return result }
        let moving = SwitchSplit.Lanes(repeating: true) .& .!grouping.kept
        for step in steps {
            for other in steps {
                // One bucket after the other from two steps: that is where balances meet.
                var place = base.replacing(with: step.place, where: moving)
                for axis in board.grid.sizes.indices where moving[axis] {
                    if Bool.random(using: &random) { place[axis] = other.place[axis] }
                }
                if grouping.cell(of: place) == open.cell { result.append(place) }
            }
            if result.count > Self.mostCandidates * 2 { break }
        }
        return result
    }
}
