import SuppressionOracle
import Testing

@testable import ThrongSuppression

@Suite("Nobody outside knows which places are empty, unless the plan says so")
struct EmptyPlaceTests {
    private static let prime: UInt64 = 2_305_843_009_213_693_951

    /// Four browsers, of which two never say how much memory there is, one always does, and five devices of the third are
    /// silent, too: silent − first − second are those five for whoever knows that of the browsers.
    private static func browsers(isPossible: @escaping @Sendable (LeafGrid.Place) -> Bool) throws -> SuppressionProblem
    {
        let values: [Int64] = [500, 400, 300, 5, 200]
        let places = [(0, 0), (1, 0), (2, 1), (2, 0), (3, 1)].map { browser, memory in
            LeafGrid.Place(Int32(browser), Int32(memory), 0, 0, 0, 0, 0, 0)
        }
        let groups: [(grouping: Int, leaves: [UInt32])] = [
            (0, [0, 1, 2, 3, 4]), (1, [0]), (1, [1]), (1, [2, 3]), (1, [4]), (2, [0, 1, 3]), (2, [2, 4]),
            (3, [0]), (3, [1]), (3, [2]), (3, [3]), (3, [4]),
        ]
        let lists = IndexLists(groups.map(\.leaves))
        let kept: [[[Int32]?]] = [[nil, nil], [[0, 1, 2, 3], nil], [nil, [0, 1]], [[0, 1, 2, 3], [0, 1]]]
        func relation(_ parent: UInt32, _ children: [UInt32]) -> AdditiveRelation {
            AdditiveRelation(parent: ColumnIndex(parent), children: children.map { ColumnIndex($0) })
        }
        return try SuppressionProblem(
            measures: [AdditiveMeasure(values: values, protection: .surrounds(percent: 10))], columns: lists,
            cells: groups.map { group in
                let floor = group.leaves.reduce(Int64(0)) { $0 + values[Int($1)] }
                return CandidateCell(
                    floor: floor, cost: 8, isSensitive: floor < 20, isOffered: group.grouping < 3, level: group.grouping
                )
            },
            relations: [
                relation(0, [1, 2, 3, 4]), relation(0, [5, 6]), relation(3, [9, 10]), relation(5, [7, 8, 10]),
                relation(6, [9, 11]),
            ],
            threshold: 20,
            unionFloor: { $0.reduce(0) { $0 + groups[Int($1.value)].leaves.reduce(0) { $0 + values[Int($1)] } } },
            grid: LeafGrid(
                sizes: [4, 2], places: places, groupings: kept, groupingOfColumn: groups.map(\.grouping),
                columns: lists,
                isPossible: isPossible))
    }

    private static func pattern(_ problem: SuppressionProblem, flatCells: Int) throws -> SuppressionPattern {
        let options = SuppressionOptions(seed: 3, proof: .witnesses(seconds: 20), flatCells: flatCells)
        let found = try SuppressionEngine(options: options).pattern(for: problem)
        #expect(found.unproved.isEmpty)
        #expect(PatternVerifier(problem).violations(of: found, prime: prime, seed: 3).isEmpty)
        var random = SecretGenerator(seed: 3)
        let unions = UnionVerifier(
            problem, witnesses: found.witnesses, prime: RandomPrime.draw(using: &random), seed: 3
        )
        .outcome(publishing: found.isPublished, until: .now + .seconds(20))
        #expect(unions == .init(faults: 0, unexamined: 0))
        return found
    }

    @Test("what would be known to whoever knew that a place is empty may be published", arguments: [0, 3_000])
    func unknown(flatCells: Int) throws {
        let problem = try Self.browsers { _ in true }
        let found = try Self.pattern(problem, flatCells: flatCells)
        let atoms = problem.atoms(filledBy: found.witnesses)
        #expect(atoms.count > 5 && atoms.columns[0].count == atoms.count)
        #expect(problem.atoms(filledBy: []).count == 5)
        #expect(found.isPublished.count { $0 } == 7, "the total, browsers and memory: \(found.isPublished)")
        #expect(UnionRepair(problem, witnesses: found.witnesses, seconds: 20).hidden(given: found.isPublished).isEmpty)
    }

    @Test("what the plan says to be empty everybody knows", arguments: [0, 3_000])
    func impossible(flatCells: Int) throws {
        let problem = try Self.browsers { place in place[0] == 2 || (place[0] == 3) == (place[1] == 1) }
        let found = try Self.pattern(problem, flatCells: flatCells)
        #expect(found.isPublished[0])
        #expect(found.isPublished.count { $0 } < 7)
        // The control: somebody who looks at what is published finds the five.
        let everything = problem.cells.map(\.isOffered)
        let probe = SpanProbe(problem.columns, leafCount: problem.leafCount, published: everything)
        #expect(probe.isKnown(problem.columns[10]))
    }

    @Test("of small cubes a level hides what every safe pattern has to hide, or nearly so", arguments: [true, false])
    func bound(partitions: Bool) throws {
        let cube = try CrowdCube(sizes: [10, 8, 6], events: 5_000, partitions: partitions, seed: 1)
        let engine = SuppressionEngine(options: SuppressionOptions(seed: 7, proof: .witnesses(seconds: 60)))
        let found = try engine.pattern(for: cube.problem)
        let able = cube.problem.cells.indices.filter { cube.depth[$0] == 2 && cube.problem.cells[$0].floor >= 20 }
        let hidden = able.count { !found.isPublished[$0] }
        let least = try #require(engine.leastHidden(of: cube.problem, at: 2, beside: found.isPublished))
        #expect(least > 15)
        #expect(hidden >= least)
        #expect(hidden <= least + 2)
    }

    @Test("a whole of k events is withheld where no part of it has k: none could have more in any other table")
    func wholeOfThreshold() throws {
        let cube = try CrowdCube(sizes: [300, 4], events: 6_000, partitions: false, seed: 1)
        let found = try SuppressionEngine(options: SuppressionOptions(seed: 7)).pattern(for: cube.problem)
        let exact = cube.problem.cells.indices.filter { cube.depth[$0] == 1 && cube.events[$0] == 20 }
        #expect(!exact.isEmpty)
        #expect(exact.allSatisfy { !found.isPublished[$0] })
        #expect(PatternVerifier(cube.problem).violations(of: found, prime: Self.prime, seed: 1).isEmpty)
    }
}
