import Testing

@testable import ThrongNoise

@Suite("A question's noise is drawn by what it means")
struct QuestionDrawTests {
    private static let cells = 10_000
    private static let variance = Result { try LayerVariance(threshold: 20, buckets: [3]) }
    private static let question = QuestionKey(of: "created a note, by system")

    private static func draw(
        _ layer: Layer, of question: QuestionKey = question, secret: DrawSecret = Trial.secret
    ) throws -> [Int64] {
        try secret.noise(of: question, layer, cells: cells)
    }

    private static func fresh(_ period: String = "day 1", counted: [Int64] = [7, 0, 20]) throws -> Layer {
        .fresh(try variance.get(), period: period, counted: Trial.secret.digest(of: counted))
    }

    @Test("the same question has the same noise, of the exact variance; anything else has independent noise")
    func independence() throws {
        let layer = try Self.fresh()
        let first = try Self.draw(layer)
        #expect(try Self.draw(layer) == first)
        #expect(try Self.draw(layer, of: QuestionKey(of: "created a note, by system")) == first)
        let others = [
            try Self.draw(layer, of: QuestionKey(of: "found a note, by system")),
            try Self.draw(.kept(KeptNoise(NoiseWidth(threshold: 20), buckets: [3]))),
            try Self.draw(Self.fresh("day 2")),
            // A restore that lost one event.
            try Self.draw(Self.fresh(counted: [7, 0, 19])),
            try Self.draw(layer, secret: DrawSecret(bytes: Array(repeating: 41 as UInt8, count: 32))),
        ]
        // V / r(S) = 25 · 3/2. A variance of 10,000 draws is off by 1.4 %, a covariance by 0.375.
        for noise in [first] + others { #expect(abs(covariance(noise, noise) / 37.5 - 1) < 0.06) }
        for noise in others { #expect(abs(covariance(noise, first)) < 1.6) }
        // Controls: noise that is off, and one that is shared.
        let off = Array(repeating: Int64(0), count: Self.cells)
        #expect(abs(covariance(off, off) / 37.5 - 1) > 0.06)
        #expect(covariance(first, try Self.draw(layer)) > 1.6)
    }

    @Test("the kept layer is the same in all periods and for whatever was counted: it is told neither")
    func kept() throws {
        let noise = try KeptNoise(NoiseWidth(threshold: 20), buckets: [3])
        let short = try Trial.secret.noise(of: Self.question, .kept(noise), cells: 3)
        #expect(try Trial.secret.noise(of: Self.question, .kept(noise), cells: 3) == short)
        #expect(throws: NoiseError.emptyUniverse) { try Trial.secret.noise(of: Self.question, .kept(noise), cells: 0) }
    }

    @Test("wider noise holds the narrower one and an independent draw more, whoever asks first")
    func ladder() throws {
        func noise(_ k: Int64, factor: Int64 = 1) throws -> KeptNoise {
            try KeptNoise(NoiseWidth(threshold: k, factor: factor), buckets: [])
        }
        let draws = try [5, 20, 30, 50].map { try Self.draw(.kept(noise($0))) }
        for (draw, k) in zip(draws, [5.0, 20, 30, 50]) {
            #expect(abs(covariance(draw, draw) / (k * k / 16) - 1) < 0.06)
        }
        for (narrow, wide) in zip(draws, draws.dropFirst()) {
            let added = zip(wide, narrow).map { $0 - $1 }
            let most = (covariance(narrow, narrow) * covariance(added, added)).squareRoot() / 100
            #expect(abs(covariance(narrow, added)) < 4 * most)
        }
        // Between two rungs the next one is taken, for k and for what metrics with common events need.
        #expect(try noise(25) == noise(30))
        #expect(try noise(20, factor: 2) == noise(30) && noise(20, factor: 3) == noise(40))
        #expect(try noise(20).variance == Rational(25))
        #expect(
            KeptNoise.rungs(for: 1_000_000) == [
                5, 10, 20, 30, 40, 50, 70, 100, 140, 200, 280, 400, 560, 800, 1120,
            ])
        // Control: scaled noise would have told the draw, by the difference of two answers.
        let scaled = draws[1].map { $0 * 5 / 4 - $0 }
        #expect(abs(covariance(draws[1], scaled)) > 0.8)
    }

    @Test("variances are V over r(S), exactly, and a little more where the sampler takes no fraction as fine")
    func variances() throws {
        #expect(try LayerVariance(threshold: 20, buckets: []).exact == Rational(25))
        #expect(try LayerVariance(threshold: 20, buckets: [6, 3]).exact == Rational(45))
        #expect(try LayerVariance(threshold: 20, bound: 17, buckets: [2]).exact == Rational(2312))
        let sum = try LayerVariance(threshold: 20, bound: 1_000_000, buckets: [10007, 9973, 9967, 9949])
        #expect(sum.drawn.variance > sum.exact)
        #expect(try sum.drawn.variance < sum.exact.adding(Rational(1, over: 1000)))
        #expect(throws: NoiseError.tooFewBuckets(1)) { try LayerVariance(threshold: 20, buckets: [1]) }
        #expect(throws: NoiseError.notPositive(.threshold)) { try LayerVariance(threshold: 0, buckets: []) }
        #expect(throws: NoiseError.notPositive(.contribution)) {
            try LayerVariance(threshold: 20, bound: 0, buckets: [])
        }
    }
}
