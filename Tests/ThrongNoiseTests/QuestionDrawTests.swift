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
            try Self.draw(.kept(Rises(from: try Self.variance.get()))),
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
        let rises = Rises(from: try Self.variance.get())
        let short = try Trial.secret.noise(of: Self.question, .kept(rises), cells: 3)
        #expect(try Trial.secret.noise(of: Self.question, .kept(rises), cells: 3) == short)
        #expect(throws: NoiseError.emptyUniverse) { try Trial.secret.noise(of: Self.question, .kept(rises), cells: 0) }
    }

    @Test("k from 20 to 25 and back: a rise adds an independent draw of the difference, and nothing takes it away")
    func rises() throws {
        var rises = Rises(from: try LayerVariance(threshold: 20, buckets: []))
        let before = try Self.draw(.kept(rises))
        #expect(try rises.raise(to: LayerVariance(threshold: 25, buckets: [])))
        let after = try Self.draw(.kept(rises))
        #expect(try !rises.raise(to: LayerVariance(threshold: 20, buckets: [])))
        #expect(try rises.variances == [Rational(25), Rational(625, over: 16)])
        #expect(try Self.draw(.kept(rises)) == after)
        #expect(try Rises(stored: rises.variances) == rises)
        let added = zip(after, before).map { $0 - $1 }
        #expect(abs(covariance(before, before) / 25 - 1) < 0.06)
        #expect(abs(covariance(added, added) / 14.0625 - 1) < 0.06)
        #expect(abs(covariance(before, added)) < 0.8)
        // Control: scaled noise would have told the draw, by the difference of two answers.
        let scaled = before.map { $0 * 5 / 4 - $0 }
        #expect(abs(covariance(before, scaled)) > 0.8)
    }

    @Test("rises to different variances from one start are independent, and so is a first draw of the whole")
    func otherRises() throws {
        let first = Rises(from: try LayerVariance(threshold: 20, buckets: []))
        var (left, right) = (first, first)
        try left.raise(to: LayerVariance(threshold: 25, buckets: []))
        try right.raise(to: LayerVariance(threshold: 30, buckets: []))
        let start = try Self.draw(.kept(first))
        let leftAdded = zip(try Self.draw(.kept(left)), start).map { $0 - $1 }
        let rightAdded = zip(try Self.draw(.kept(right)), start).map { $0 - $1 }
        #expect(abs(covariance(leftAdded, rightAdded)) < 0.9)
        let whole = try Self.draw(.kept(Rises(from: try LayerVariance(threshold: 25, buckets: []))))
        #expect(abs(covariance(whole, start)) < 1.3)
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

    @Test("a stored list that does not rise is refused")
    func stored() throws {
        #expect(throws: NoiseError.notRising) { try Rises(stored: []) }
        #expect(throws: NoiseError.notRising) { try Rises(stored: [Rational(25), Rational(25)]) }
    }
}
