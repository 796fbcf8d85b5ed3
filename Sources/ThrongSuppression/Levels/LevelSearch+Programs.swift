internal import Dispatch

extension LevelSearch {
    /// Which places around a cell a program looks at.
    struct Box {
        /// How many at most: a program of a small box takes some milliseconds, and often does.
        let places: Int
        let shape: Shape

        enum Shape {
            /// Mostly the dimensions that the cell keeps.
            case kept
            /// As many buckets of each dimension.
            case even
            /// Of each dimension the buckets in which the cell's lines have somebody, and some more.
            case lines
        }

        static let small = Box(places: 350, shape: .kept)
        private static let lines = Box(places: 2_500, shape: .lines)
        private static let widest = Box(places: 12_000, shape: .even)
        /// One after the other, where nothing is hidden.
        static let ordinary = [small, lines, Box(places: 2_500, shape: .even)]
        static let wide = [Box(places: 12_000, shape: .lines), widest]
        /// One after the other, where a level's cells may be hidden.
        static let hiding = [Box(places: 1_000, shape: .kept), lines, widest]
    }

    /// Buckets of a dimension that the cell does not keep: what moves in one of them alone leaves all others alone.
    private static let mostAcross = 4

    /// A witness by a program over a box around a cell, and what has to be hidden for it.
    ///
    /// - Parameter level: whose cells may be hidden; nil for none.
    func program(
        _ need: Int, on board: SwitchBoard, hiding level: Int?, in box: Box = .small, until end: ContinuousClock.Instant
    ) -> BoxProgram.Answer? {
        let proof = store.needs[need]
        guard let center = center(of: proof, on: board), ContinuousClock().now < end,
            let program = self.program(
                of: proof, on: board, hiding: level, in: buckets(of: box, around: center, proof, board, level))
        else { return nil }
        let budget = SolverBudget(iterations: 6_000, nodes: 200, deadline: end)
        return program.solve(proof.direction, by: proof.distance, budget: budget)
    }

    /// The program of a box of buckets by axis.
    func program(of proof: Proof, on board: SwitchBoard, hiding level: Int?, in box: [[Int32]]) -> BoxProgram? {
        guard let center = center(of: proof, on: board) else { return nil }
        let column = Int(proof.column)
        let number = grid.groupingOfColumn[column]
        let leaves = problem.columns[column]
        let cell = number.map { grid.groupings[$0].cell(of: center) }
        return BoxProgram(
            board, box: box,
            isTarget: { place in
                if let number { return grid.groupings[number].cell(of: place) == cell }
                return grid.leaf(at: place).map { leaves.contains($0) } ?? false
            },
            price: { column in
                level.flatMap { mayHide(Int(column), $0) ? Double(problem.cells[Int(column)].cost) : nil }
            })
    }

    /// Where the most of a cell is.
    private func center(of proof: Proof, on board: SwitchBoard) -> LeafGrid.Place? {
        problem.columns[Int(proof.column)].max { board.values[Int($0)] < board.values[Int($1)] }
            .map { grid.places[Int($0)] }
    }

    /// Buckets by axis: the cell's own, and those through which most can be moved at least cost.
    private func buckets(
        of box: Box, around center: LeafGrid.Place, _ proof: Proof, _ board: SwitchBoard, _ level: Int?
    ) -> [[Int32]] {
        let enough = 2 * proof.distance
        let kept = grid.groupingOfColumn[Int(proof.column)].map { grid.groupings[$0].kept }
        let most = grid.sizes.indices.map { axis in
            let isKept = kept.map { $0[axis] } ?? true
            switch box.shape {
            case .kept: return isKept ? grid.sizes[axis] : min(Self.mostAcross, grid.sizes[axis])
            case .even: return grid.sizes[axis]
            case .lines: return min(grid.sizes[axis], 3 + occupied(around: center, along: axis, on: board))
            }
        }
        var counts = grid.sizes.map { _ in 1 }
        var product = 1
        while let axis = counts.indices.filter({
            counts[$0] < most[$0] && product / counts[$0] * (counts[$0] + 1) <= box.places
        }).min(by: {
            box.shape == .lines ? counts[$0] * most[$1] < counts[$1] * most[$0] : counts[$0] < counts[$1]
        }) {
            product = product / counts[axis] * (counts[axis] + 1)
            counts[axis] += 1
        }
        return grid.sizes.indices.map { axis in
            var scored: [(bucket: Int32, score: Double)] = []
            for bucket in 0..<Int32(grid.sizes[axis]) where bucket != center[axis] {
                var place = center
                place[axis] = bucket
                var score = grid.leaf(at: place).map { Double(min(enough, board.values[Int($0)])) } ?? 0
                for number in board.active where grid.groupings[number].kept[axis] {
                    let cell = grid.groupings[number].cell(of: place)
                    guard cell >= 0 else { continue }
                    let column = grid.groupings[number].column(ofCell: cell)
                    let held = column.map { Double(min(enough, values[proof.measure][Int($0)])) } ?? 0
                    if board.shownCell(of: place, number) == nil {
                        score += 1 + held
                    } else if let column, let level, mayHide(Int(column), level) {
                        score += held / 32
                    } else {
                        score += held / 64
                    }
                }
                scored.append((bucket, score))
            }
            scored.sort { ($0.score, $1.bucket) > ($1.score, $0.bucket) }
            return [center[axis]] + scored.prefix(counts[axis] - 1).map(\.bucket)
        }
    }

    /// Buckets of an axis in which somebody is who differs from a place in that axis only.
    private func occupied(around center: LeafGrid.Place, along axis: Int, on board: SwitchBoard) -> Int {
        var place = center
        return (0..<Int32(grid.sizes[axis])).count { bucket in
            place[axis] = bucket
            return grid.leaf(at: place).map { board.values[Int($0)] > 0 } ?? false
        }
    }

    /// How a witness of one need is looked for, with nothing hidden for it.
    enum Way {
        case gathering(isWide: Bool)
        case program(Box)

        static let fast = [gathering(isWide: false), program(.small)]
        static let ordinary = [gathering(isWide: false)] + Box.ordinary.map { program($0) }
    }

    /// A witness in one way or another, the first that has one.
    func witness(
        of need: Int, on board: SwitchBoard, from tables: inout [LayerExchange?], by ways: [Way],
        until end: ContinuousClock.Instant
    ) -> SuppressionPattern.Witness? {
        for way in ways where ContinuousClock().now < end {
            let found =
                switch way {
                case .gathering(let isWide): gathered(need, on: board, from: &tables, isWide: isWide, until: end)
                case .program(let box):
                    program(need, on: board, hiding: nil, in: box, until: end)?.witness(store.needs[need].measure)
                }
            if let found { return found }
        }
        return nil
    }

    /// Needs that are looked at before their answers count for the others, too.
    private static let together = 32
    /// What these are shared out in among processors where tables are moved: each portion has the true ones for itself.
    private static let portions = 4
    /// Needs after which a way that hardly ever has an answer is left.
    private static let sample = 64

    /// Looks for proofs with nothing hidden, on all processors: in the fastest way for all, then in the next one for those
    /// that are left.
    ///
    /// What is found does not depend on how many processors there are, unless the time ends.
    ///
    /// - Returns: whether all were looked at in ordinary boxes: not where the time ends, half of which is left for what has to
    ///   be hidden then, or where hardly any has an answer.
    mutating func proveTogether(_ needs: [Int], with climbers: [SwitchClimber]) -> Bool {
        let now = ContinuousClock().now
        let end = now + (deadline - now) / 2
        // So that the first ones tell what can be hoped for.
        var random = SecretGenerator(seed: 8)
        let needs = needs.shuffled(using: &random)
        for isWide in [false, true] { prove(needs, by: [.gathering(isWide: isWide)], with: climbers, until: end) }
        guard prove(needs, by: Box.ordinary.map { .program($0) }, with: climbers, until: end) else { return false }
        prove(needs, by: Box.wide.map { .program($0) }, with: climbers, until: end)
        return true
    }

    @discardableResult
    mutating func prove(
        _ needs: [Int], by ways: [Way], with climbers: [SwitchClimber], until end: ContinuousClock.Instant
    ) -> Bool {
        var rest = needs[...]
        var (seen, found) = (0, 0)
        let movesTables = ways.contains { if case .gathering = $0 { true } else { false } }
        var copies = Array(repeating: tables, count: movesTables ? Self.portions : Self.together)
        while !rest.isEmpty {
            if ContinuousClock().now >= end || seen >= Self.sample && found * 50 < seen { return false }
            var group: [Int] = []
            while group.count < Self.together, let next = rest.popFirst() {
                if !store.isProved(next) { group.append(next) }
            }
            let answers = witnesses(of: group, by: ways, with: climbers, from: &copies, until: end)
            if !movesTables { statistics.programs += group.count }
            seen += group.count
            for answer in answers {
                guard let answer else { continue }
                found += 1
                store.add(answer)
            }
        }
        return true
    }

    private func witnesses(
        of needs: [Int], by ways: [Way], with climbers: [SwitchClimber], from copies: inout [[LayerExchange?]],
        until end: ContinuousClock.Instant
    ) -> [SuppressionPattern.Witness?] {
        var answers: [SuppressionPattern.Witness?] = Array(repeating: nil, count: needs.count)
        answers.withUnsafeMutableBufferPointer { answers in
            copies.withUnsafeMutableBufferPointer { copies in
                // Each writes to places of its own.
                nonisolated(unsafe) let (answers, copies) = (answers, copies)
                DispatchQueue.concurrentPerform(iterations: copies.count) { portion in
                    for place in stride(from: portion, to: needs.count, by: copies.count) {
                        let board = climbers[store.needs[needs[place]].measure].board
                        answers[place] = witness(
                            of: needs[place], on: board, from: &copies[portion], by: ways, until: end)
                    }
                }
            }
        }
        return answers
    }

    /// Looks for a proof of a need by hiding as little of a level as a program can do with.
    ///
    /// - Parameters:
    ///   - ways: how it is looked for first without hiding more, because something was hidden since it was looked for.
    ///   - boxes: where cells may be hidden, one after the other.
    ///   - end: when the time for this need is over.
    /// - Returns: what was hidden; nil where no program had an answer.
    mutating func prove(
        _ need: Int, by ways: [Way], orHiding level: Int, in boxes: [Box], with climbers: [SwitchClimber],
        until end: ContinuousClock.Instant
    ) -> Set<Int>? {
        let measure = store.needs[need].measure
        let board = climbers[measure].board
        var tables = tables
        if let witness = witness(of: need, on: board, from: &tables, by: ways, until: end) {
            store.add(witness)
            return []
        }
        statistics.programs += 1
        var found: BoxProgram.Answer?
        for box in boxes where found == nil { found = program(need, on: board, hiding: level, in: box, until: end) }
        guard let answer = found else { return nil }
        var hidden: Set<Int> = []
        for column in answer.hides.map({ Int($0) }) where published[column] {
            published[column] = false
            reasons[column] = .bounds(ColumnIndex(store.needs[need].column))
            hidden.insert(column)
        }
        store.add(answer.witness(measure))
        return hidden
    }
}
