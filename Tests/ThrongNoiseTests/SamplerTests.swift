import Foundation
import Testing
import ThrongChance

@testable import ThrongNoise

@Suite("Samplers: exactly the distribution that was proved")
struct SamplerTests {
    /// Significance 10^-6 a histogram, seeds fixed: the outcome of this test never changes by chance.
    ///
    /// `NOISE_SAMPLES=10000000 swift test -c release -Xswiftc -enable-testing` looks closer.
    static let samples = ProcessInfo.processInfo.environment["NOISE_SAMPLES"].flatMap { Int($0) } ?? 200_000

    @Test("samples fit the exact probability function", arguments: Golden.histograms)
    func samplesFitTheProbabilityFunction(_ histogram: Histogram) throws {
        let noise = try histogram.noise()
        var bits = RandomBits(SeededGenerator(seed: 20_201_206))
        let statistic = histogram.chiSquared(samples: Self.samples) { noise.sample(using: &bits) }
        #expect(statistic < histogram.critical)
    }

    @Test("control: the test rejects noise that takes minus zero for a number of its own")
    func minusZeroIsRejected() throws {
        let histogram = try #require(Golden.histograms.first { $0.name == "laplace 20" })
        let step = try Rational(parsing: "1/20")
        var bits = RandomBits(SeededGenerator(seed: 1))
        let statistic = try histogram.chiSquared(samples: Self.samples) {
            // A geometric size and a sign: right but for zero, which comes up with either.
            var size: Int128 = 0
            while try step.exponentialCoin(using: &bits) { size += 1 }
            return bits.bits(1) == 1 ? -size : size
        }
        #expect(statistic > histogram.critical)
    }

    @Test("control: the test rejects a continuous Gaussian number rounded to the nearest whole one")
    func roundedGaussianIsRejected() throws {
        let histogram = try #require(Golden.histograms.first { $0.name == "gaussian 9/4" })
        var generator = SeededGenerator(seed: 3)
        let statistic = histogram.chiSquared(samples: Self.samples) {
            let radius = (-2 * Foundation.log(Double.random(in: 0..<1, using: &generator).nextUp)).squareRoot()
            return Int128(
                (1.5 * radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))).rounded())
        }
        #expect(statistic > histogram.critical)
    }

    @Test("control: the test rejects a variance that is four per cent too small")
    func slightlyWrongVarianceIsRejected() throws {
        let histogram = try #require(Golden.histograms.first { $0.name == "gaussian 10" })
        let wrong = try DiscreteGaussian(variance: Rational(parsing: "9.6"))
        var bits = RandomBits(SeededGenerator(seed: 4))
        let statistic = histogram.chiSquared(samples: Self.samples) { wrong.sample(using: &bits) }
        #expect(statistic > histogram.critical)
    }

    @Test("over every sequence of flips, a coin of exp(-x) has the probability exp(-x)", arguments: Golden.exponentials)
    func exponentialCoinIsExact(_ golden: GoldenExponential) throws {
        let depth = 14
        let gamma = try Rational(parsing: golden.text)
        // Not negative, so the coin refuses nothing.
        let (decided, undecided) = BitTree.masses(depth: depth) { tree in
            do { return try gamma.exponentialCoin(using: &tree) } catch { return false }
        }
        let unit = UInt128(1) << UInt128(62 - depth)
        let floor = UInt128(golden.floor)
        let heads = decided[true] ?? 0
        #expect(heads * unit <= floor + 1)
        #expect(floor <= (heads + undecided) * unit)
        #expect(heads + undecided + (decided[false] ?? 0) == 1 << UInt128(depth))
        // So that the bounds say something: under 3 % is open.
        #expect(undecided * 100 < 3 << UInt128(depth))
    }

    @Test(
        "over every sequence of flips, every outcome of a round is as likely as it should be",
        arguments: ["laplace 1", "laplace 5/2", "laplace 7/3", "gaussian 1", "gaussian 1/4", "gaussian 9/4"])
    func noiseIsExact(_ name: String) throws {
        let depth = 18
        let histogram = try #require(Golden.histograms.first { $0.name == name })
        let noise = try histogram.noise()
        let (masses, undecided) = BitTree.masses(depth: depth) { tree in
            switch noise {
            case .laplace(let noise): noise.attempt(using: &tree)
            case .gaussian(let noise): noise.attempt(using: &tree)
            }
        }
        // A round that gives nothing is begun again, so P(x) = m(x) / Σ m, and what was open at the depth may belong to
        // any x or to none. Unit: 2^-depth · 2^-62.
        let unit = UInt128(1) << 62
        let least = masses.reduce(0) { $0 + ($1.key == nil ? 0 : $1.value) }
        for place in 0..<(2 * histogram.reach + 1) {
            let mass = masses[Int128(place - histogram.reach)] ?? 0
            let exact = UInt128(histogram.probabilities[place])
            #expect(mass * unit <= (least + undecided) * (exact + 1))
            #expect(least * (exact - 1) <= (mass + undecided) * unit)
        }
        #expect(masses.values.reduce(undecided, +) == 1 << UInt128(depth))
        // So that the bounds say something: under 5 % is open.
        #expect(undecided * 100 < 5 << UInt128(depth))
    }

    @Test("every bit of the generator is used once and in order")
    func bitsAreUsedOnce() {
        var bits = RandomBits(SeededGenerator(seed: 7))
        var generator = SeededGenerator(seed: 7)
        var expected: [Bool] = []
        for _ in 0..<100 {
            let word = generator.next()
            expected += (0..<64).map { word >> UInt64($0) & 1 == 1 }
        }
        var found: [Bool] = []
        var width = 0
        while found.count < 6000 {
            let taken = bits.bits(width)
            found += (0..<width).map { taken >> UInt64($0) & 1 == 1 }
            width = (width + 7) % 65
        }
        #expect(found == Array(expected.prefix(found.count)))
    }

    @Test("the largest allowed scale and variance are drawn without overflow")
    func extremesAreDrawn() throws {
        let most = Int128(1) << 60 - 1
        var bits = RandomBits(SeededGenerator(seed: 8))
        for parameter in try [
            Rational(most, over: 1), Rational(1, over: most), Rational(most, over: most - 1),
            Rational(most - 1, over: most), Rational(most, over: 2), Rational(3, over: most),
        ] {
            let noise: [NoiseDistribution] = try [
                .laplace(DiscreteLaplace(scale: parameter)), .gaussian(DiscreteGaussian(variance: parameter)),
            ]
            for _ in 0..<500 {
                #expect(noise[0].sample(using: &bits).magnitude < 1 << 67)
                #expect(noise[1].sample(using: &bits).magnitude < 1 << 36)
            }
            _ = try noise[0].margin(missing: Rational(1, over: 1 << 30))
            _ = try noise[1].margin(missing: Rational(1, over: 1 << 30))
        }
        #expect(throws: NoiseError.tooFine(.scale, bits: 61, limit: 60)) {
            try DiscreteLaplace(scale: Rational(1 << 60, over: 1))
        }
        #expect(throws: NoiseError.notPositive(.variance)) { try DiscreteGaussian(variance: .zero) }
    }
}
