internal import Dispatch

extension LevelSearch {
    /// What bounds a sensitive cell while all of it is published.
    struct Attack: Sendable {
        /// The sensitive cell.
        let target: UInt32
        /// Cells of a level: one of them has to go, with none above it.
        let columns: [Int]
    }

    /// Attacks after which it is looked again what to hide: the next ones are of another pattern.
    private static let together = 64
    private static let rounds = 40

    /// Chooses what a level hides so that no linear program bounds what nothing else proves: attacks that succeed are told
    /// to the cover, which then chooses anew, for all of them at once.
    ///
    /// In cubes of more places than a program can hold nothing is done: what it finds in a part of the cube need not hold for
    /// all of it.
    mutating func resist(_ level: Int) {
        let now = ContinuousClock().now
        let end = now + (deadline - now) / 3
        let above = published.indices.map { published[$0] && !mayHide($0, level) }
        var attacks: [Attack] = []
        for _ in 0..<Self.rounds where ContinuousClock().now < end {
            let found = self.attacks(level, until: end)
            if found.isEmpty { return }
            attacks += found
            published = above
            publish(level, against: attacks)
        }
    }

    /// Attacks on what is not proved, that succeed with what is published; proofs that are found on the way are kept.
    mutating func attacks(_ level: Int, until end: ContinuousClock.Instant) -> [Attack] {
        guard grid.fitsProgram else { return [] }
        store.keepConsistent(with: published)
        let climbers = prove(against: published, isNarrow: true, until: end)
        if isHopeless { return [] }
        prove(store.missing, by: [.gathering(isWide: false)], with: climbers, until: end)
        var found: [Attack] = []
        var rest = store.missing[...]
        while !rest.isEmpty, found.count < Self.together, ContinuousClock().now < end {
            let group = Array(rest.prefix(Self.together))
            rest = rest.dropFirst(group.count)
            let needs = group.filter { !store.isProved($0) }
            statistics.programs += needs.count
            for (need, answer) in zip(needs, answers(to: needs, level, with: climbers, until: end)) {
                switch answer {
                case .proved(let witness): store.add(witness.witness(store.needs[need].measure))
                case .bounded(let columns) where !columns.isEmpty:
                    found.append(Attack(target: store.needs[need].column, columns: columns.map { Int($0) }))
                case .bounded, .open, .undecided: continue
                }
            }
        }
        return found
    }

    private func answers(
        to needs: [Int], _ level: Int, with climbers: [SwitchClimber], until end: ContinuousClock.Instant
    ) -> [BoxProgram.Attack] {
        var answers: [BoxProgram.Attack] = Array(repeating: .undecided, count: needs.count)
        answers.withUnsafeMutableBufferPointer { answers in
            // Each writes to a place of its own.
            nonisolated(unsafe) let answers = answers
            DispatchQueue.concurrentPerform(iterations: needs.count) { place in
                let proof = store.needs[needs[place]]
                let board = climbers[proof.measure].board
                let all = grid.sizes.map { Array(0..<Int32($0)) }
                let program = program(of: proof, on: board, hiding: level, in: all)
                let budget = SolverBudget(iterations: 20_000, deadline: end)
                answers[place] = program?.attack(proof.direction, by: proof.distance, budget: budget) ?? .undecided
            }
        }
        return answers
    }
}
