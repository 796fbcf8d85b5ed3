internal import Dispatch

extension LevelSearch {
    /// Places of one box at most: a program of a small one takes some milliseconds, and often does.
    private static let small = 350
    private static let large = 1_000
    /// Where it doesn't: of each dimension the buckets in which the cell's lines have somebody, and some more. The number of
    /// places tells this kind of box from ``largest``, which takes as many buckets of each dimension.
    private static let lines = 2_501
    private static let largest = 2_500
    /// Buckets of a dimension that the cell does not keep: what moves in one of them alone leaves all others alone.
    private static let mostAcross = 4

    /// A witness by a program over a box around a cell, and what has to be hidden for it.
    ///
    /// - Parameter level: whose cells may be hidden; nil for none.
    func program(
        _ need: Int, on board: SwitchBoard, hiding level: Int?, places: Int = Self.small,
        until end: ContinuousClock.Instant? = nil
    ) -> BoxProgram.Answer? {
        let end = end ?? deadline
        let proof = store.needs[need]
        let column = Int(proof.column)
        let number = grid.groupingOfColumn[column]
        let leaves = problem.columns[column]
        guard let largest = leaves.max(by: { board.values[Int($0)] < board.values[Int($1)] }) else { return nil }
        let center = grid.places[Int(largest)]
        let cell = number.map { grid.groupings[$0].cell(of: center) }
        if ContinuousClock().now >= end { return nil }
        let program = BoxProgram(
            board, box: box(around: center, proof, board, level, places),
            isTarget: { place in
                if let number { return grid.groupings[number].cell(of: place) == cell }
                return grid.leaf(at: place).map { leaves.contains($0) } ?? false
            },
            price: { column in
                level.flatMap { mayHide(Int(column), $0) ? Double(problem.cells[Int(column)].cost) : nil }
            })
        let budget = SolverBudget(iterations: 6_000, nodes: 200, deadline: end)
        return program.solve(proof.direction, by: proof.distance, budget: budget)
    }

    /// Buckets by axis: the cell's own, and those through which most can be moved at least cost.
    private func box(
        around center: LeafGrid.Place, _ proof: Proof, _ board: SwitchBoard, _ level: Int?, _ places: Int
    ) -> [[Int32]] {
        let enough = 2 * proof.distance
        let kept = grid.groupingOfColumn[Int(proof.column)].map { grid.groupings[$0].kept }
        let isAcross = places <= Self.large
        let isByLines = places == Self.lines
        let most = grid.sizes.indices.map { axis in
            let isKept = kept.map { $0[axis] } ?? true
            if isByLines { return 3 + occupied(around: center, along: axis, on: board) }
            return isKept || !isAcross ? grid.sizes[axis] : min(Self.mostAcross, grid.sizes[axis])
        }
        var counts = grid.sizes.map { _ in 1 }
        var product = 1
        while let axis = counts.indices.filter({
            counts[$0] < min(most[$0], grid.sizes[$0]) && product / counts[$0] * (counts[$0] + 1) <= places
        }).min(by: {
            isByLines ? counts[$0] * most[$1] < counts[$1] * most[$0] : counts[$0] < counts[$1]
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

    /// A witness by a program that hides nothing, in one box after the other.
    private func witness(of need: Int, on board: SwitchBoard) -> BoxProgram.Answer? {
        program(need, on: board, hiding: nil) ?? program(need, on: board, hiding: nil, places: Self.lines)
            ?? program(need, on: board, hiding: nil, places: Self.largest)
    }

    /// Needs that programs look at before their answers count for the others, too.
    private static let together = 32

    /// Looks for proofs by programs that hide nothing, on all processors.
    ///
    /// What is found does not depend on how many there are, unless the time ends.
    ///
    /// - Returns: whether all were looked at. Half of the time is left for what has to be hidden then.
    mutating func proveTogether(_ needs: [Int], with climbers: [SwitchClimber]) -> Bool {
        var rest = needs[...]
        let now = ContinuousClock().now
        let end = now + (deadline - now) / 2
        while !rest.isEmpty {
            if ContinuousClock().now >= end { return false }
            var group: [Int] = []
            while group.count < Self.together, let next = rest.popFirst() {
                if !store.isProved(next) { group.append(next) }
            }
            let answers = witnesses(of: group, with: climbers)
            statistics.programs += group.count
            for (need, answer) in zip(group, answers) {
                if let answer { add(answer, for: need) }
            }
        }
        return true
    }

    private func witnesses(of needs: [Int], with climbers: [SwitchClimber]) -> [BoxProgram.Answer?] {
        var answers: [BoxProgram.Answer?] = Array(repeating: nil, count: needs.count)
        answers.withUnsafeMutableBufferPointer { answers in
            // Each writes to a place of its own.
            nonisolated(unsafe) let answers = answers
            DispatchQueue.concurrentPerform(iterations: needs.count) { place in
                answers[place] = witness(of: needs[place], on: climbers[store.needs[needs[place]].measure].board)
            }
        }
        return answers
    }

    private mutating func add(_ answer: BoxProgram.Answer, for need: Int) {
        store.add(
            .init(
                measure: store.needs[need].measure, changes: answer.changes, arrivals: answer.arrivals, proves: []))
    }

    /// Looks for a proof of a need by hiding as little of a level as a program can do with.
    ///
    /// - Parameters:
    ///   - isHasty: whether there is no time to look again in large boxes, where something was hidden since, before more is.
    ///   - end: when even time for that is over, and a small box is all that is looked at until then.
    /// - Returns: what was hidden; nil where no program had an answer.
    mutating func prove(
        _ need: Int, hiding level: Int, with climbers: [SwitchClimber], isHasty: Bool,
        until end: ContinuousClock.Instant? = nil
    ) -> Set<Int>? {
        statistics.programs += 1
        let board = climbers[store.needs[need].measure].board
        let found: BoxProgram.Answer?
        if let end {
            found = program(need, on: board, hiding: level, until: end)
        } else {
            let whole = isHasty ? program(need, on: board, hiding: nil) : witness(of: need, on: board)
            found = whole ?? program(need, on: board, hiding: level, places: Self.large)
        }
        guard let answer = found else { return nil }
        var hidden: Set<Int> = []
        for column in answer.hides.map({ Int($0) }) where published[column] {
            published[column] = false
            reasons[column] = .bounds(ColumnIndex(store.needs[need].column))
            hidden.insert(column)
        }
        add(answer, for: need)
        return hidden
    }
}
