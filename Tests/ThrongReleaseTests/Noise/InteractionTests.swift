import Testing
import ThrongSystem

@testable import ThrongNoise

@Suite("Numbers are sums of interactions, and add up")
struct InteractionTests {
    private static let buckets = [3, 2, 4]
    private static let counted = Trial.crowd(300, buckets, seed: 4)

    /// Whether the numbers of each grouping are the sums of those of each finer one.
    private static func addUp(_ numbers: [FieldSet: [Int64]], in lattice: Lattice) -> Bool {
        numbers.allSatisfy { fine, table in
            numbers.filter { $0.key.isSubset(of: fine) }.allSatisfy { coarse, expected in
                var sums = Array(repeating: Int64(0), count: expected.count)
                for (number, place) in zip(table, lattice.places(of: fine, in: coarse)) { sums[Int(place)] += number }
                return sums == expected
            }
        }
    }

    private static func numbers(_ trial: Trial, _ drawn: [FieldSet: InteractionTable]) throws -> [FieldSet:
        GroupingTable]
    {
        var numbers: [FieldSet: GroupingTable] = [:]
        for grouping in trial.lattice.groupings {
            numbers[grouping] = try trial.lattice.numbers(of: grouping, from: drawn)
        }
        return numbers
    }

    @Test("whatever was drawn, whole numbers of all groupings add up, within 2^(d−1) of what was drawn")
    func addsUp() throws {
        let trial = try Trial(Self.buckets, rounds: 40)
        var nearest = 0
        for round in 0..<40 {
            // Without anybody half of all sums are negative.
            let counted = round % 2 == 0 ? Self.counted : Self.counted.map { _ in 0 }
            let numbers = try Self.numbers(trial, trial.drawn(counted, round: round))
            let whole = numbers.mapValues(\.whole)
            #expect(Self.addUp(whole, in: trial.lattice))
            for (grouping, table) in numbers {
                let limit = try Rational(Int128(1) << Int128(grouping.count), over: 2)
                let farthest = table.farthest(whole[grouping] ?? [])
                #expect(grouping.count == 0 ? farthest == .zero : farthest < limit || farthest == limit)
                // Exactly what was drawn adds up, too.
                #expect(table.cells.reduce(0, +) == table.denominator * (numbers[[]]?.cells.first ?? 0))
            }
            let rounded = numbers.mapValues { table in
                table.cells.map { Int64((Double($0) / Double(table.denominator)).rounded()) }
            }
            nearest += Self.addUp(rounded, in: trial.lattice) ? 1 : 0
        }
        // Control: numbers that are rounded each for itself do not add up.
        #expect(nearest < 5)
    }

    @Test("with noise off all numbers are the counted ones, with it they are not")
    func exact() throws {
        let trial = try Trial(Self.buckets, rounds: 1)
        for isNoisy in [false, true] {
            let drawn = try trial.drawn(Self.counted, round: 0, isNoisy: isNoisy)
            let numbers = try Self.numbers(trial, drawn)
            for grouping in trial.lattice.groupings where grouping.count > 0 {
                let counted = trial.sums(of: Self.counted, by: grouping)
                #expect((numbers[grouping]?.whole == counted) == !isNoisy)
                #expect(numbers[grouping]?.farthest(counted) == .zero || isNoisy)
            }
        }
    }

    @Test("groupings that have no common finer one add up in what they share")
    func pairs() throws {
        let pairs: [FieldSet] = [[0, 1], [0, 2], [0]]
        let trial = try Trial(Self.buckets, groupings: pairs, rounds: 10)
        #expect(trial.lattice.interactions == [[], [0], [1], [2], [0, 1], [0, 2]])
        for round in 0..<10 {
            let drawn = try trial.drawn(Self.counted, round: round)
            #expect(Self.addUp(try Self.numbers(trial, drawn).mapValues(\.whole), in: trial.lattice))
        }
    }

    @Test("what is no table of the lattice is refused")
    func refusals() throws {
        let field = try Field(buckets: 3)
        let lattice = try Lattice(fields: [field, field], groupings: [[0], [1]])
        #expect(throws: NoiseError.notOfTheLattice) { try InteractionTable([1, 2], of: [0], in: lattice) }
        #expect(throws: NoiseError.notOfTheLattice) { try InteractionTable([1], of: [0, 1], in: lattice) }
        #expect(throws: NoiseError.notOfTheLattice) { try lattice.numbers(of: [0], from: [:]) }
        #expect(throws: NoiseError.notOfTheLattice) { try Lattice(fields: [field], groupings: [[1]]) }
        #expect(throws: NoiseError.emptyUniverse) { try Lattice(fields: [field], groupings: []) }
        #expect(throws: NoiseError.tooFewBuckets(1)) { try Field(buckets: 1) }
        let large = try Field(buckets: 5000)
        #expect(throws: NoiseError.tooManyCells(found: 25_000_000, limit: 1 << 24)) {
            try Lattice(fields: [large, large], groupings: [[0, 1]])
        }
    }

    @Test("the largest numbers that fit do not overflow on the way")
    func extremes() throws {
        let trial = try Trial([2, 2, 2, 2, 2, 2, 2, 2], groupings: [FieldSet(0..<8)], rounds: 1)
        var drawn: [FieldSet: InteractionTable] = [:]
        for interaction in trial.lattice.interactions {
            let cells = trial.lattice.cells(of: interaction)
            let table = (0..<cells).map { ($0.nonzeroBitCount + interaction.count) % 2 == 0 ? Int64.max : .min }
            drawn[interaction] = try InteractionTable(table, of: interaction, in: trial.lattice)
        }
        let table = try trial.lattice.numbers(of: FieldSet(0..<8), from: drawn)
        let total = try trial.lattice.numbers(of: [], from: drawn)
        #expect(table.cells.reduce(0, +) == table.denominator * (total.cells.first ?? 0))
    }
}
