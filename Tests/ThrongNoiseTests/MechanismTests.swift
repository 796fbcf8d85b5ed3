import Foundation
import Testing
import ThrongChance
import ThrongNoise

@Suite("Mechanism: how much noise, and what it promises")
struct MechanismTests {
    @Test("sensitivity: full cells among the leaves, everything in one cell of a coarser grouping")
    func sensitivities() throws {
        let limit = try ContributionLimit(cells: 3, amount: 10, total: 25)
        let leaves = try Sensitivity(of: limit, groupings: 1, includesLeaves: true)
        #expect(leaves.absolute == 25)
        #expect(leaves.squared == 100 + 100 + 25)
        let margin = try Sensitivity(of: limit, groupings: 1, includesLeaves: false)
        #expect(margin.squared == 625)
        let cube = try Sensitivity(of: limit, groupings: 4, includesLeaves: true)
        #expect(cube.absolute == 100)
        #expect(cube.squared == 225 + 3 * 625)
        #expect(try ContributionLimit(cells: 2, amount: 10).total == 20)
        #expect(throws: NoiseError.notPositive(.contribution)) { try ContributionLimit(cells: 0, amount: 1) }
        #expect(throws: NoiseError.overflow) {
            try Sensitivity(
                of: ContributionLimit(cells: 1, amount: .max), groupings: .max, includesLeaves: false)
        }
    }

    @Test("no table within the limit moves the numbers further than the sensitivity: all small tables tried")
    func sensitivityIsABound() throws {
        // Two by two leaves, both line sums, the grand total: four groupings, leaves included.
        let limit = try ContributionLimit(cells: 3, amount: 2, total: 5)
        let bound = try Sensitivity(of: limit, groupings: 4, includesLeaves: true)
        var largest: (absolute: Int128, squared: Int128) = (0, 0)
        for code in 0..<625 {
            let cells = [code % 5 - 2, code / 5 % 5 - 2, code / 25 % 5 - 2, code / 125 - 2]
            guard cells.count(where: { $0 != 0 }) <= 3, cells.reduce(0, { $0 + abs($1) }) <= 5 else { continue }
            let moved =
                cells + [
                    cells[0] + cells[1], cells[2] + cells[3], cells[0] + cells[2], cells[1] + cells[3],
                    cells.reduce(0, +),
                ]
            largest.absolute = max(largest.absolute, Int128(moved.reduce(0) { $0 + abs($1) }))
            largest.squared = max(largest.squared, Int128(moved.reduce(0) { $0 + $1 * $1 }))
        }
        #expect(largest.absolute == bound.absolute)
        #expect(largest.squared <= bound.squared)
    }

    @Test("the scale is the sensitivity over the cost, which the measures share")
    func scales() throws {
        let limits = try [ContributionLimit(cells: 5, amount: 1), ContributionLimit(cells: 1, amount: 300)]
        let laplace = try NoiseTerms(
            mechanism: .laplace(epsilon: Rational(parsing: "1/2")), limits: limits, groupings: 2, includesLeaves: true,
            cells: 7)
        #expect(
            try laplace.distributions == [
                .laplace(DiscreteLaplace(scale: Rational(40))), .laplace(DiscreteLaplace(scale: Rational(2400))),
            ])
        let gaussian = try NoiseTerms(
            mechanism: .gaussian(rho: Rational(parsing: "0.1")), limits: limits, groupings: 2, includesLeaves: true,
            cells: 7)
        #expect(
            try gaussian.distributions == [
                .gaussian(DiscreteGaussian(variance: Rational(300))),
                .gaussian(DiscreteGaussian(variance: Rational(1_800_000))),
            ])
    }

    @Test("the odds of any outcome move by at most e^epsilon when one identifier leaves: exact fractions")
    func oddsAreBounded() throws {
        // For every x: P(x) / P(x + Δ) ≤ e^ε, on the golden numbers of scale 20, that is ε = 1/20 for Δ = 1.
        let histogram = try #require(Golden.histograms.first { $0.name == "laplace 20" })
        for place in 0..<(2 * histogram.reach) {
            let pair = [histogram.probabilities[place], histogram.probabilities[place + 1]].map { UInt128($0) }
            // e^(1/20) < 1.0512711.
            #expect(max(pair[0], pair[1]) * 10_000_000 <= min(pair[0], pair[1]) * 10_512_711)
        }
    }

    @Test("every declared cell gets noise, empty ones too, and nothing but the declared shape is drawn")
    func everyCellGetsNoise() throws {
        let terms = try Self.terms(cells: 2000)
        var ledger = try BudgetLedger(budget: Self.budget("1"))
        let release = NoiseReleaseID("shop/orders/day/0")
        _ = try ledger.reserve(release, terms: terms, in: [BudgetSlot(start: 0)])
        let permit = try ledger.isDurable(release)
        var bits = RandomBits(SeededGenerator(seed: 6))
        let draw = try permit.draw([Array(repeating: 0, count: 2000)], using: &bits)
        #expect(draw.values[0].count(where: { $0 == 0 }) < 40)
        #expect(draw.values[0].contains { $0 < 0 })
        #expect(
            throws: NoiseError.notTheUniverse(measures: 1, cells: 3, declaredMeasures: 1, declaredCells: 2000)
        ) { try terms.check([[1, 2, 3]]) }
        #expect(throws: NoiseError.self) { try terms.check([]) }
    }

    @Test("a number at the end of its type saturates")
    func saturation() throws {
        var ledger = try BudgetLedger(budget: Self.budget("1"))
        let release = NoiseReleaseID("a")
        _ = try ledger.reserve(release, terms: Self.terms(cells: 200), in: [BudgetSlot(start: 0)])
        let draw = try ledger.isDurable(release).draw([Array(repeating: .max, count: 200)])
        #expect(draw.values[0].contains(.max))
        #expect(draw.values[0].allSatisfy { $0 > .max - 100_000 })
    }

    @Test("a device of n windows gets n epsilon, or n squared rho, and is told so")
    func windowsAddUp() throws {
        let laplace = try Self.terms(cells: 1)
        #expect(try laplace.mechanism.loss(ofDeviceActiveIn: 3) == .epsilon(Rational(parsing: "3/2")))
        let words = try laplace.mechanism.statement(forDeviceActiveIn: 3)
        #expect(words.contains("1.65 times likelier or less likely (epsilon 1/2)"))
        #expect(words.contains("active in 3 windows of this period the bound is 4.49 times"))
        let gaussian = try NoiseTerms(
            mechanism: .gaussian(rho: Rational(parsing: "1/100")), limits: [ContributionLimit(cells: 1, amount: 1)],
            groupings: 1, includesLeaves: true, cells: 1)
        #expect(try gaussian.mechanism.loss(ofDeviceActiveIn: 3) == .rho(Rational(parsing: "9/100")))
        // 0.01 + 2·√(0.01 · 20 ln 2) = 0.7547…
        #expect(try gaussian.mechanism.cost.epsilon(deltaBits: 20) == Rational(parsing: "0.755"))
        #expect(
            try gaussian.mechanism.statement(forDeviceActiveIn: 1).contains("rho 1/100, epsilon 151/200 at delta 2^-20")
        )
        #expect(throws: NoiseError.notPositive(.windows)) { try laplace.mechanism.loss(ofDeviceActiveIn: 0) }
    }

    @Test("epsilon can be charged to rho, rho never to epsilon")
    func currencies() throws {
        let epsilon = PrivacyLoss.epsilon(try Rational(parsing: "1/2"))
        let rho = PrivacyLoss.rho(Rational(1))
        #expect(try epsilon.charged(to: rho) == Rational(1, over: 8))
        #expect(throws: NoiseError.unlikeCurrencies(cost: rho, budget: epsilon)) { try rho.charged(to: epsilon) }
    }

    @Test("a mechanism is written as the plan has it")
    func mechanismIsCodable() throws {
        let mechanism = NoiseMechanism.laplace(epsilon: try Rational(parsing: "1/2"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(mechanism)
        #expect(String(decoding: json, as: UTF8.self) == #"{"epsilon":"1/2","mechanism":"laplace"}"#)
        #expect(try JSONDecoder().decode(NoiseMechanism.self, from: json) == mechanism)
    }

    static func terms(cells: Int) throws -> NoiseTerms {
        try NoiseTerms(
            mechanism: .laplace(epsilon: Rational(parsing: "1/2")),
            limits: [ContributionLimit(cells: 100, amount: 100, total: 100)], groupings: 1, includesLeaves: true,
            cells: cells)
    }

    static func budget(_ epsilon: String) throws -> PrivacyBudget {
        try PrivacyBudget(total: .epsilon(Rational(parsing: epsilon)), per: .month)
    }
}
