import Foundation
import Testing

@testable import ThrongNoise

@Suite("Theorem 3: a day with and without one device differs by the stated cost")
struct TwinTests {
    /// The mean log likelihood ratio of a day with the device against one without, as seen in many draws of each table's fresh
    /// noise: chances are counted, and taken from no formula.
    private static func evidence(_ lattice: Lattice, threshold: Int64?) throws -> Double {
        let rounds = 10_000
        var sum = 0.0
        for interaction in lattice.interactions {
            var noise = Array(repeating: Int64(0), count: rounds)
            if let threshold {
                let buckets = lattice.buckets(of: interaction)
                let layer = Layer.fresh(
                    try LayerVariance(threshold: threshold, buckets: buckets), period: "day 1",
                    counted: Trial.secret.digest(of: [1]))
                noise = try Trial.secret.noise(of: QuestionKey(of: "twins \(buckets)"), layer, cells: rounds)
            }
            let counts = Dictionary(noise.map { ($0, 1.0) }, uniquingKeysWith: +)
            // Of a number x with the device in the cell, the noise is x − 1; without it, x.
            for (number, count) in counts {
                guard let other = counts[number + 1] else {
                    // The outermost number that came up.
                    if count > 100 { return .infinity }
                    continue
                }
                sum += count / Double(rounds) * log(count / other)
            }
        }
        return sum
    }

    @Test("the evidence of 10,000 draws is the cost, and is more where noise is narrower or off")
    func evidence() throws {
        let lattice = try Lattice(fields: [Field(buckets: 3)], groupings: [[0]])
        // 8/k²·(1 + 2/3) at k = 5.
        let cost = try lattice.cost(change: Rational(1), least: Rational(25, over: 16))
        #expect(try cost == Rational(8, over: 15))
        // Evidence has the variance 2ρ: its mean over 10,000 draws is off by 0.0103.
        #expect(abs(try Self.evidence(lattice, threshold: 5) - cost.approximate) < 0.04)
        #expect(try Self.evidence(lattice, threshold: 4) > cost.approximate + 0.04)
        #expect(try Self.evidence(lattice, threshold: nil) == .infinity)
    }

    @Test("costs of the page: notes and events at their bound")
    func page() throws {
        let lattice = try Lattice(fields: [Field(buckets: 5)], groupings: [[], [0]])
        // 3·(1 + 4/5)·8/400 = 0.108: three event sets, each by five systems.
        let devices = try lattice.cost(change: Rational(1), least: Rational(25))
        #expect(try devices.multiplied(by: Rational(3)) == Rational(108, over: 1000))
        // (1 + 1/2 + 4/5 + 2/5)/8: event kind and system, the bound reached.
        let events = try Lattice(fields: [Field(buckets: 2), Field(buckets: 5)], groupings: [[0, 1]])
        let bound = try LayerVariance(threshold: 20, bound: 17, buckets: []).least
        #expect(try events.cost(change: Rational(17), least: bound) == Rational(27, over: 80))
        // Half of the bound costs a quarter.
        #expect(try events.cost(change: Rational(17, over: 2), least: bound) == Rational(27, over: 320))
    }
}
