import Testing

@testable import ThrongNoise

@Suite("The deviation of a combination, in closed form")
struct CombinationTests {
    private static let systems: FieldSet = [0]

    /// Systems only: six of them.
    private static func lattice() throws -> Lattice {
        try Lattice(fields: [Field(buckets: 6)], groupings: [[], systems])
    }

    private static func deviation(_ combination: Combination, sets: Int = 1) throws -> Double {
        try lattice().variance(of: combination, least: Array(repeating: Rational(25), count: sets)).approximate
            .squareRoot()
    }

    /// One number a day, by its weight in the days' sum.
    private static func days(_ weights: [Int64], over denominator: Int64 = 1) -> Combination {
        var combination = Combination(over: denominator)
        for (day, weight) in weights.enumerated() { combination.add(weight, period: day, systems, 3) }
        return combination
    }

    @Test("created + found − either: three event sets, each with noise of its own")
    func both() throws {
        var combination = Combination()
        for (events, sign) in [Int64(1), 1, -1].enumerated() { combination.add(sign, events: events, [], 0) }
        #expect(try Self.lattice().isWhole(combination))
        // √150.
        #expect(abs(try Self.deviation(combination, sets: 3) - 12.247) < 0.001)
    }

    @Test("a withheld system by the total and its five siblings is its own number, and no closer")
    func sibling() throws {
        var combination = Combination()
        combination.add(1, [], 0)
        for cell in 0..<6 where cell != 3 { combination.add(-1, Self.systems, cell) }
        let lattice = try Self.lattice()
        let single = try lattice.variance(of: Self.days([1]), least: [Rational(25)])
        #expect(try lattice.variance(of: combination, least: [Rational(25)]) == single)
        // 2V·(1 + 1/36).
        #expect(try single == Rational(50 * 37, over: 36))
    }

    @Test("what adds up to nothing has no variance: numbers can't be computed in two ways")
    func nothing() throws {
        var combination = Combination()
        combination.add(-1, [], 0)
        for cell in 0..<6 { combination.add(1, Self.systems, cell) }
        #expect(try Self.deviation(combination) == 0)
        #expect(try !Self.lattice().isWhole(combination))
    }

    @Test(
        "weights of days: means of thirty days keep one layer, differences of two the other",
        arguments: [
            (Array(repeating: Int64(1), count: 30), Int64(30), 5.153, true), ([1, -1], 1, 7.169, true),
            ([29] + Array(repeating: -1, count: 29), 29, 5.156, true),
        ])
    func days(weights: [Int64], denominator: Int64, deviation: Double, isWhole: Bool) throws {
        let combination = Self.days(weights, over: denominator)
        #expect(abs(try Self.deviation(combination) - deviation) < 0.001)
        #expect(try Self.lattice().isWhole(combination) == isWhole)
    }

    @Test("control: who comes and stays is no whole number of devices on any day, and is known more closely")
    func comesAndStays() throws {
        let weights = Array(repeating: Int64(-16), count: 14) + Array(repeating: 14, count: 16)
        let combination = Self.days(weights, over: 14 * 16)
        #expect(try !Self.lattice().isWhole(combination))
        #expect(abs(try Self.deviation(combination) - 1.855) < 0.001)
    }

    @Test("a number that there is none of is refused")
    func refusals() throws {
        let lattice = try Self.lattice()
        var combination = Combination()
        combination.add(1, Self.systems, 6)
        #expect(throws: NoiseError.notOfTheLattice) { try lattice.variance(of: combination, least: [Rational(25)]) }
        combination = Combination()
        combination.add(1, events: 1, [], 0)
        #expect(throws: NoiseError.notOfTheLattice) { try lattice.variance(of: combination, least: [Rational(25)]) }
    }
}
