import SuppressionOracle
import Testing
import ThrongSuppression

/// What the search from the top down promises, on crowds with heavy tails.
@Suite struct LevelTests {
    private static let prime: UInt64 = 2_305_843_009_213_693_951

    private func pattern(_ problem: SuppressionProblem, seed: UInt64 = 1) throws -> SuppressionPattern {
        try SuppressionEngine(options: SuppressionOptions(seed: seed, proof: .witnesses(seconds: 60), flatCells: 0))
            .pattern(
                for: problem)
    }

    /// A pattern that proves everything, as the verification sees it, too.
    private func proved(_ cube: CrowdCube, seed: UInt64 = 1) throws -> SuppressionPattern {
        let found = try pattern(cube.problem, seed: seed)
        #expect(found.unproved.isEmpty)
        #expect(PatternVerifier(cube.problem).violations(of: found, prime: Self.prime, seed: seed).isEmpty)
        return found
    }

    @Test(
        "of a crowd with heavy tails the total and every one-way cell of k devices is published, and all is proved",
        arguments: [true, false])
    func topDown(partitions: Bool) throws {
        let cube = try CrowdCube(sizes: [10, 8, 6], events: 5_000, partitions: partitions, seed: 1)
        let found = try proved(cube)
        let coarse = cube.problem.cells.indices.filter { cube.depth[$0] <= 1 && cube.problem.cells[$0].floor >= 20 }
        #expect(coarse.count > 20)
        #expect(coarse.allSatisfy { found.isPublished[$0] })
        #expect(found.isPublished.indices.contains { found.isPublished[$0] && cube.depth[$0] == 2 })
    }

    @Test(
        "of a larger crowd nine tenths of the pairs of k devices are published, and tables prove many cells each",
        arguments: [true, false])
    func pairs(partitions: Bool) throws {
        let cube = try CrowdCube(sizes: [20, 12, 10], events: 30_000, partitions: partitions, seed: 1)
        let found = try proved(cube)
        let pairs = cube.problem.cells.indices.filter { cube.depth[$0] == 2 && cube.problem.cells[$0].floor >= 20 }
        #expect(pairs.count > 400)
        #expect(pairs.count { found.isPublished[$0] } * 10 >= pairs.count * 9)
        #expect(found.witnesses.contains { $0.proves.count > 100 })
    }

    @Test("no sensitive cell is pinned or bounded by integer programs over all places that may be empty")
    func attack() throws {
        var attacked = 0
        var naiveBroken = 0
        var arrivals = 0
        for seed in UInt64(1)...6 {
            let cube = try CrowdCube(
                sizes: [4, 3, 3], events: 260, threshold: 5, partitions: seed.isMultiple(of: 2), seed: seed)
            let found = try proved(cube, seed: seed)
            arrivals += found.witnesses.reduce(0) { $0 + $1.arrivals.count }
            let whole = try #require(try cube.problem.withEmptyPlaces())
            let attacker = IntegerAttacker(whole, isPublished: found.isPublished)
            let naive = IntegerAttacker(whole, isPublished: cube.problem.cells.map { !$0.isSensitive })
            for place in cube.problem.cells.indices where cube.problem.cells[place].isSensitive {
                let column = ColumnIndex(UInt32(place))
                attacked += 1
                #expect(attacker.weakness(of: column, measure: 0) == nil)
                if naive.weakness(of: column, measure: 0) != nil { naiveBroken += 1 }
            }
        }
        #expect(attacked > 50)
        #expect(naiveBroken > 0, "the control must be seen to fail")
        #expect(arrivals > 0, "empty places must have been used")
    }

    @Test(
        "of a crowd of five dimensions, too, four fifths of the pairs of k devices are published and proved",
        arguments: [true, false])
    func fiveDimensions(partitions: Bool) throws {
        // What is finer takes all the time there is, and shows nothing.
        let cube = try CrowdCube(
            sizes: [6, 5, 4, 4, 3], events: 15_000, partitions: partitions, seed: 1, mostKept: 2)
        let found = try proved(cube)
        let pairs = cube.problem.cells.indices.filter { cube.depth[$0] == 2 && cube.problem.cells[$0].floor >= 20 }
        #expect(pairs.count > 150)
        #expect(pairs.count { found.isPublished[$0] } * 10 >= pairs.count * 8)
    }

    @Test("verification refuses tables that contradict a published number, or don't prove what they claim")
    func forgedTables() throws {
        let cube = try CrowdCube(sizes: [10, 8, 6], events: 5_000, partitions: true, seed: 1)
        let found = try proved(cube)
        let place = try #require(
            found.witnesses.indices.max { witness, other in
                found.witnesses[witness].changes.count < found.witnesses[other].changes.count
            })
        let table = found.witnesses[place]
        #expect(table.changes.count > 50)
        #expect(table.proves.count > 10)
        func violations(_ changes: [SuppressionPattern.Witness.Change]) -> [PatternVerifier.Violation] {
            var witnesses = found.witnesses
            witnesses[place] = .init(
                measure: table.measure, changes: changes, arrivals: table.arrivals, proves: table.proves)
            return PatternVerifier(cube.problem).violations(
                of: found.claiming(witnesses: witnesses), prime: Self.prime, seed: 1)
        }
        let first = try #require(table.changes.first)
        let more = SuppressionPattern.Witness.Change(leaf: first.leaf, amount: first.amount + 1)
        let total = try #require(cube.depth.firstIndex(of: 0))
        let contradicted = violations([more] + Array(table.changes.dropFirst()))
        #expect(contradicted.contains(.contradicts(witness: place, ColumnIndex(UInt32(total)))))
        let halved = violations(table.changes.filter { $0.amount < 0 })
        #expect(halved.contains { if case .contradicts(place, _) = $0 { true } else { false } })
        // The proved cells fall to where they were, or lower.
        #expect(halved.contains { if case .unproved = $0 { true } else { false } })
        let nothing = violations([first, first])
        #expect(nothing.contains(.impossible(witness: place)))
    }

    @Test("verification refuses a witness that leaves the cell alone that it claims to prove")
    func idleTables() throws {
        let cube = try CrowdCube(sizes: [10, 8, 6], events: 5_000, partitions: true, seed: 1)
        let found = try proved(cube)
        let place = try #require(found.witnesses.firstIndex { !$0.proves.isEmpty })
        let witness = found.witnesses[place]
        var witnesses = found.witnesses
        witnesses[place] = .init(measure: witness.measure, changes: [], arrivals: [], proves: witness.proves)
        let violations = PatternVerifier(cube.problem).violations(
            of: found.claiming(witnesses: witnesses), prime: Self.prime, seed: 1)
        for cell in witness.proves { #expect(violations.contains(.provesNothing(witness: place, cell))) }
    }

    @Test("verification refuses witnesses that put somebody where nobody can be, or fewer than nobody")
    func impossiblePlaces() throws {
        let cube = try CrowdCube(sizes: [4, 3, 3], events: 260, threshold: 5, partitions: true, seed: 2)
        let found = try pattern(cube.problem, seed: 2)
        let place = try #require(found.witnesses.firstIndex { !$0.arrivals.isEmpty })
        let witness = found.witnesses[place]
        let arrival = try #require(witness.arrivals.first)
        let verifier = PatternVerifier(cube.problem)
        let grid = try #require(cube.problem.grid)
        let forged: [[SuppressionPattern.Witness.Arrival]] = [
            [.init(place: arrival.place, amount: -1)],
            [.init(place: grid.places[0], amount: 1)],
            [.init(place: arrival.place &+ 1_000, amount: 1)],
            [arrival, arrival],
        ]
        for arrivals in forged {
            var witnesses = found.witnesses
            witnesses[place] = .init(
                measure: witness.measure, changes: Array(witness.changes), arrivals: arrivals, proves: witness.proves)
            let violations = verifier.violations(of: found.claiming(witnesses: witnesses), prime: Self.prime, seed: 1)
            #expect(violations.contains(.impossible(witness: place)))
        }
        let closed = try CrowdCube(
            sizes: [4, 3, 3], events: 260, threshold: 5, partitions: true, seed: 2, isPossible: { _ in false })
        let violations = PatternVerifier(closed.problem).violations(of: found, prime: Self.prime, seed: 1)
        #expect(violations.contains(.impossible(witness: place)))
    }
}
