import Testing
import ThrongChance

@testable import ThrongNoise

@Suite("Noise that hides a device: the budget's parts, and draws that a secret repeats")
struct DeviceTermsTests {
    private static func terms(
        _ mechanism: NoiseMechanism, cells: Int64 = 2, windows: Int64 = 1
    ) throws -> NoiseTerms {
        try NoiseTerms(
            mechanism: mechanism, limits: [ContributionLimit(cells: cells, amount: 1)],
            parts: [
                .init(cells: 1, isLeaf: false, weight: 4), .init(cells: 3, isLeaf: false, weight: 2),
                .init(cells: 6, isLeaf: true, weight: 1),
            ],
            windows: windows)
    }

    @Test("the parts of a release cost exactly what it may cost")
    func composition() throws {
        let epsilon = try Rational(parsing: "2/3")
        for windows in [Int64(1), 7] {
            var spent = Rational.zero
            for grouping in try Self.terms(.laplace(epsilon: epsilon), windows: windows).groupings {
                guard case .laplace(let noise)? = grouping.distributions.first else { continue }
                // A device moves a grouping by 2 cells in each of its windows: Δ₁ / scale is what that costs.
                spent = try spent.adding(Rational(2 * windows).divided(by: noise.scale))
            }
            #expect(spent == epsilon)
            var rho = Rational.zero
            for (place, grouping) in try Self.terms(.gaussian(rho: epsilon), windows: windows).groupings.enumerated() {
                guard case .gaussian(let noise)? = grouping.distributions.first else { continue }
                // Δ₂² / 2σ²: all in one cell of a coarser grouping, two cells of the leaves, and windows in the same ones.
                let squared = (place < 2 ? 4 : 2) * windows * windows
                rho = try rho.adding(Rational(squared).divided(by: noise.variance.multiplied(by: Rational(2))))
            }
            #expect(rho == epsilon)
        }
    }

    @Test("the widest noise is that of the least part, and each cell gets its grouping's")
    func draws() throws {
        let terms = try Self.terms(.laplace(epsilon: Rational(7)), cells: 1)
        #expect(terms.cells == 10)
        #expect(terms.distributions == terms.groupings[2].distributions)
        #expect(
            terms.groupings.map(\.distributions) == [
                [.laplace(try DiscreteLaplace(scale: Rational(parsing: "1/4")))],
                [.laplace(try DiscreteLaplace(scale: Rational(parsing: "1/2")))],
                [.laplace(try DiscreteLaplace(scale: Rational(1)))],
            ])
        var sums = Array(repeating: 0.0, count: 10)
        for seed in 0..<2000 {
            let draw = try Self.draw(terms, [Array(repeating: 100, count: 10)], SeededGenerator(seed: UInt64(seed)))
            for cell in 0..<10 { sums[cell] += abs(Double(draw.values[0][cell] - 100)) }
        }
        // E|x| = 2p / (1 − p²) for p = exp(−1 / scale): 0.037, 0.276 and 0.851.
        #expect(sums[0] / 2000 < 0.1)
        #expect(sums[1..<4].allSatisfy { (0.2...0.35).contains($0 / 2000) })
        #expect(sums[4...].allSatisfy { (0.75...0.95).contains($0 / 2000) })
    }

    private static func draw(
        _ terms: NoiseTerms, _ values: [[Int64]], _ generator: some RandomNumberGenerator
    ) throws -> NoiseDraw {
        var ledger = try BudgetLedger(budget: PrivacyBudget(total: terms.mechanism.cost, per: .purpose))
        let name = NoiseReleaseID("shop/orders/day/0")
        _ = try ledger.reserve(name, terms: terms, in: [BudgetSlot(start: 0)])
        var bits = RandomBits(generator)
        return try ledger.isDurable(name).draw(values, using: &bits)
    }

    private static func draw(
        _ terms: NoiseTerms, _ values: [[Int64]], _ secret: UInt8, name: String = "shop/orders/day/0"
    ) throws -> NoiseDraw {
        var ledger = try BudgetLedger(budget: PrivacyBudget(total: terms.mechanism.cost, per: .purpose))
        let name = NoiseReleaseID(name)
        _ = try ledger.reserve(name, terms: terms, in: [BudgetSlot(start: 0)])
        return try ledger.isDurable(name).draw(
            values, secret: DrawSecret(bytes: Array(repeating: secret, count: 32)))
    }

    @Test("a restored ledger draws the same of the same counts, and something else of any other")
    func secret() throws {
        let terms = try Self.terms(.laplace(epsilon: try Rational(parsing: "1/100")))
        let counted: [Int64] = [500, 300, 200, 0, 1, 2, 3, 4, 5, 6]
        let first = try Self.draw(terms, [counted], 1)
        #expect(try Self.draw(terms, [counted], 1) == first)
        func noise(_ draw: NoiseDraw, _ counted: [Int64]) -> [Int64] { zip(draw.values[0], counted).map { $0 - $1 } }
        // Noise that two different tables shared would give their difference away.
        var other = counted
        other[9] += 1
        #expect(noise(try Self.draw(terms, [other], 1), other) != noise(first, counted))
        #expect(try Self.draw(terms, [counted], 2) != first)
        #expect(noise(try Self.draw(terms, [counted], 1, name: "shop/orders/day/1"), counted) != noise(first, counted))
        let wider = try Self.terms(.laplace(epsilon: try Rational(parsing: "1/101")))
        #expect(try Self.draw(wider, [counted], 1) != first)
    }

    @Test(
        "bits from a secret are as fair as any: the noise has its exact distribution",
        arguments: Golden.histograms.prefix(3))
    func fair(_ golden: Histogram) throws {
        let noise = try golden.noise()
        var bits = RandomBits(
            DrawSecret(bytes: Array(repeating: 7, count: 32)).generator(
                for: NoiseReleaseID("a"), terms: try Self.terms(.laplace(epsilon: Rational(1))), values: [[1]]))
        #expect(golden.chiSquared(samples: 20_000) { noise.sample(using: &bits) } < golden.critical)
    }
}
