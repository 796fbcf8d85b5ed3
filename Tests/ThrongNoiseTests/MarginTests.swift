import Testing
import ThrongChance

@testable import ThrongNoise

@Suite("Intervals: a published number says how far off it may be")
struct MarginTests {
    @Test("the margin is the smallest that the exact probability function allows", arguments: Golden.margins)
    func marginIsExact(_ golden: GoldenMargin) throws {
        let noise = try Histogram.noise(golden.kind, golden.parameter)
        #expect(try noise.margin(missing: Rational(parsing: golden.share)) == Int128(golden.margin))
    }

    @Test("for a large deviation the margin is never too small and at most a five-hundredth of it too large")
    func largeDeviations() throws {
        // Normal quantiles for 1/20 and 1/1000 are the limits; unit 10^-6.
        for deviation in [Int128(2048), 5000, 1 << 20, 1 << 29] {
            let noise = try DiscreteGaussian(variance: Rational(deviation * deviation, over: 1))
            for (share, quantile) in [(Int128(20), Int128(1_959_963)), (1000, 3_290_526)] {
                let margin = try noise.margin(missing: Rational(1, over: share))
                let limit = deviation * quantile / 1_000_000
                #expect(margin >= limit - 1)
                #expect(margin <= limit + deviation / 500 + 1)
            }
        }
    }

    @Test("exponentials are enclosed within a few units of the last of 100 bits", arguments: Golden.exponentials)
    func exponentialsAreEnclosed(_ golden: GoldenExponential) throws {
        let number = try Rational(parsing: golden.text)
        let bounds = ExponentialBounds(of: UInt128(number.numerator), over: UInt128(number.denominator))
        #expect(bounds.lower <= bounds.upper)
        #expect(bounds.upper - bounds.lower < 1 << 14)
        #expect(bounds.lower >> 38 <= UInt128(golden.floor) && UInt128(golden.floor) <= bounds.upper >> 38)
    }

    @Test("nineteen intervals of twenty hold the counted number")
    func intervalsCover() throws {
        let noise = try NoiseDistribution.laplace(DiscreteLaplace(scale: Rational(parsing: "7/3")))
        let interval = try noise.interval(around: 100, missing: Rational(parsing: "1/20"))
        var bits = RandomBits(SeededGenerator(seed: 5))
        var held = 0
        for _ in 0..<20_000 {
            // The interval is symmetric: it holds the counted number around the published one, and the other way.
            if interval.contains(100 + noise.sample(using: &bits)) { held += 1 }
        }
        #expect(held >= 19_000)
        #expect(held < 19_500)
    }

    @Test("a share outside 0 to 1 is refused")
    func sharesAreChecked() throws {
        let noise = try DiscreteLaplace(scale: Rational(1))
        for text in ["0", "1", "-1/2", "1/1073741825"] {
            let share = try Rational(parsing: text)
            #expect(throws: NoiseError.notAShare(share)) { try noise.margin(missing: share) }
        }
    }
}
