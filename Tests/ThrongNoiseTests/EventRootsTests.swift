import Testing
import ThrongChance

@testable import ThrongNoise

@Suite("Counts of events that overlap")
struct EventRootsTests {
    private static func rational(_ above: Int128, _ below: Int128 = 1) throws -> Rational {
        try Rational(above, over: below)
    }

    @Test("a triangle needs 4/3 of V, four metrics of three events 9/4, and metrics that share nothing 1")
    func known() throws {
        #expect(try EventRoots([[1, 2], [2, 3], [1, 3]]).factors == Array(repeating: Self.rational(4, 3), count: 3))
        let four = try EventRoots([[2, 3, 4], [1, 3, 4], [1, 2, 4], [1, 2, 3]])
        #expect(four.factors == Array(repeating: try Self.rational(9, 4), count: 4))
        #expect(try EventRoots([[1], [2], [3, 4]]).factors == Array(repeating: Self.rational(1), count: 3))
        // Control: with V alone half a triangle's sum would be closer than that, at Σ c² = 3/4.
        #expect(try EventRoots([[1, 2], [2, 3], [1, 3]]).factors[0] > Rational(1))
    }

    @Test("what follows from earlier questions is computed from them, with their coefficients")
    func computed() throws {
        let roots = try EventRoots([[1], [2], [1, 2], [3], [1, 3]])
        #expect(roots.kinds[2] == .computed([0: Rational(1), 1: Rational(1)]))
        #expect(roots.kinds[4] == .computed([0: Rational(1), 3: Rational(1)]))
        #expect(roots.factors == [1, 1, 0, 1, 0].map { Rational($0) })
        // The last event alone is half of what the others say.
        let half = try EventRoots([[1, 2], [2, 3], [1, 3], [2]])
        #expect(
            half.kinds[3]
                == .computed([0: try Self.rational(1, 2), 1: try Self.rational(1, 2), 2: try Self.rational(-1, 2)]))
        #expect(throws: NoiseError.emptyUniverse) { try EventRoots([[]]) }
    }

    @Test("a later question gets what its combinations need, and asks nothing of the earlier ones")
    func later() throws {
        let triangle = try EventRoots([[1, 2], [2, 3], [1, 3]])
        // (½)²·1 + (½)²·1 + (½)²·2 = 1.
        #expect(try triangle.factorOfLast(after: [Rational(1), Rational(1)]) == Rational(2))
        #expect(try triangle.factorOfLast(after: [Rational(4), Rational(4)]) == Rational(1))
        #expect(try EventRoots([[1], [2], [1, 2]]).factorOfLast(after: [Rational(1), Rational(1)]) == .zero)
        #expect(try EventRoots([[1], [2]]).factorOfLast(after: [Rational(1)]) == Rational(1))
        #expect(throws: NoiseError.notOfTheLattice) { try triangle.factorOfLast(after: []) }
    }

    @Test("the least found by enumeration is the least of all, and the bound for more roots is above it")
    func bruteForce() throws {
        var generator = SeededGenerator(seed: 11)
        var above = 0
        for _ in 0..<12 {
            let sets = (0..<4).map { _ in
                Set((0..<5).filter { _ in generator.next() % 3 > 0 } + [Int(generator.next() % 5)])
            }
            let roots = try EventRoots(sets)
            let drawn = sets.indices.filter { roots.kinds[$0] == .drawn }.map { sets[$0] }
            let rows = drawn.map { set in (0..<5).map { set.contains($0) ? 1 : 0 } }
            // Determinants of four rows of 0 and 1 are at most 3: coefficients are whole, all halves or all thirds.
            var least = Rational(1)
            for (denominator, choices) in [(2, 5), (3, 7)] {
                for number in 1..<Self.power(choices, rows.count) {
                    let numerators = rows.indices.map { number / Self.power(choices, $0) % choices - choices / 2 }
                    let length = numerators.reduce(0) { $0 + $1 * $1 }
                    guard length > 0, length < denominator * denominator else { continue }
                    let sums = (0..<5).map { event in
                        rows.indices.reduce(0) { $0 + rows[$1][event] * numerators[$1] }
                    }
                    guard sums.allSatisfy({ $0 % denominator == 0 }) else { continue }
                    least = min(least, try Self.rational(Int128(length), Int128(denominator * denominator)))
                }
            }
            let factor = try #require(roots.factors.max())
            #expect(try factor.multiplied(by: least) == Rational(1))
            above += least < Rational(1) ? 1 : 0
            let bound = (0..<5).map { event in drawn.count { $0.contains(event) } }.max() ?? 1
            #expect(factor < Rational(Int64(bound + 1)))
        }
        // So that the comparison says something.
        #expect(above > 1)
    }

    @Test("more than twelve that overlap get the number of roots that hold one event")
    func many() throws {
        let sets = (0..<13).map { Set([$0, $0 + 1, 99]) }
        #expect(try EventRoots(sets).factors[0] == Rational(13))
        // A chain of twelve is still enumerated.
        #expect(try EventRoots((0..<12).map { Set([$0, $0 + 1]) }).factors[0] == Rational(1))
    }

    private static func power(_ base: Int, _ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }
}
