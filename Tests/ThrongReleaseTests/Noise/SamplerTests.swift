import Foundation
import Testing
import ThrongSystem

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
        let histogram = try #require(Golden.histograms.first { $0.name == "gaussian 10" })
        let noise = try histogram.noise()
        var bits = RandomBits(SeededGenerator(seed: 1))
        let statistic = histogram.chiSquared(samples: Self.samples) {
            // Right but for zero, which comes up with either sign.
            while true {
                let drawn = noise.sample(using: &bits)
                if drawn == 0 || bits.bits(1) == 1 { return drawn }
            }
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
        let below = gamma.denominator.magnitude
        let (whole, rest) = gamma.numerator.magnitude.quotientAndRemainder(dividingBy: below)
        let (decided, undecided) = BitTree.masses(depth: depth) { tree in
            tree.exponentialCoin(whole: whole, rest, over: below)
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
        arguments: ["gaussian 1", "gaussian 1/4", "gaussian 9/4"])
    func noiseIsExact(_ name: String) throws {
        let depth = 18
        let histogram = try #require(Golden.histograms.first { $0.name == name })
        let noise = try histogram.noise()
        let (masses, undecided) = BitTree.masses(depth: depth) { tree in noise.attempt(using: &tree) }
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

    @Test("the largest and the finest allowed variance are drawn without overflow")
    func extremesAreDrawn() throws {
        let most = Int128(1) << 60 - 1
        var bits = RandomBits(SeededGenerator(seed: 8))
        for parameter in try [
            Rational(most, over: 1), Rational(1, over: most), Rational(most, over: most - 1),
            Rational(most - 1, over: most), Rational(most, over: 2), Rational(3, over: most),
        ] {
            let noise = try DiscreteGaussian(variance: parameter)
            for _ in 0..<500 { #expect(noise.sample(using: &bits).magnitude < 1 << 36) }
        }
        #expect(throws: NoiseError.tooFine(.variance, bits: 61, limit: 60)) {
            try DiscreteGaussian(variance: Rational(1 << 60, over: 1))
        }
        #expect(throws: NoiseError.notPositive(.variance)) { try DiscreteGaussian(variance: .zero) }
    }
}
