internal import Crypto
internal import Foundation

/// The noise that stays with a question: a sum of draws, one for each rung up to the width that is asked for.
///
/// Kept noise is never scaled: anybody who has x + 2z and x + 3z can solve for x and z. Wider noise holds the narrower
/// noise and one more independent draw. So nobody has to remember what was asked before: k may be raised and lowered,
/// and two metrics may ask with different k, and all that anybody gets is what the smallest of them promises.
package struct KeptNoise: Sendable, Hashable {
    /// The draws from the lowest rung up.
    package let draws: [DiscreteGaussian]
    /// The rung that each draw reaches. Unit: devices.
    let rungs: [Int64]

    /// Adds up rungs until they are wide enough.
    ///
    /// - Throws: the sampler's errors.
    package init(_ width: NoiseWidth, buckets: [Int]) throws(NoiseError) {
        var (draws, rungs): ([DiscreteGaussian], [Int64]) = ([], [])
        let rest = try LayerVariance.rest(of: buckets)
        var before: Int64 = 0
        for rung in Self.rungs(for: width.square) {
            let added = Rational(rung * rung - before * before)
            draws.append(try LayerVariance.drawable(width.unit.multiplied(by: added).divided(by: rest)))
            rungs.append(rung)
            before = rung
        }
        (self.draws, self.rungs) = (draws, rungs)
    }

    /// Takes one draw, for trials of other widths.
    init(single layer: LayerVariance) { (draws, rungs) = ([layer.drawn], [0]) }

    /// The rungs of the ladder, up to the first whose square is that large: 5, 10, 20, 30, 40, 50, 70, 100, and then 140, 200, 280, 400…
    package static func rungs(for square: Int64) -> [Int64] {
        var rungs: [Int64] = [5]
        while let last = rungs.last, last * last < square {
            switch last {
            case 5: rungs.append(10)
            case ..<50: rungs.append(last + 10)
            case 50: rungs.append(70)
            case 70: rungs.append(100)
            default: rungs.append(last % 7 == 0 ? last / 7 * 10 : last / 10 * 14)
            }
        }
        return rungs
    }
}

/// The width of a question's noise: V = unit · square.
package struct NoiseWidth: Sendable, Hashable {
    /// V for k = 1: 1/16 for devices; for events and sums of which one device adds b at most, (b/10)², and no less than devices have
    /// that add one event each. A part of what the question is.
    package let unit: Rational
    /// k², times the number of questions that share events.
    package let square: Int64

    /// The least bound that narrows noise: events of lower ones have that of devices. Unit: events.
    package static let leastBound = 2.5

    /// Sets the width for devices, or for events and sums.
    ///
    /// - Parameters:
    ///   - threshold: k. Unit: devices, at least 1.
    ///   - bound: the most that one device may add in a period, at least 1; nil if devices are counted.
    ///   - event: the most that one event adds, at least 1.
    ///   - factor: the number of questions that share some of the events, at least 1.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooWide`` and ``NoiseError/overflow``.
    package init(threshold: Int64, bound: Int64? = nil, event: Int64 = 1, factor: Int64 = 1) throws(NoiseError) {
        guard threshold > 0, factor > 0 else { throw .notPositive(.threshold) }
        let (square, overflow) = threshold.multipliedReportingOverflow(by: threshold)
        let (product, excess) = square.multipliedReportingOverflow(by: factor)
        // Twice as much is still a square of 64 bits: the next rung is less than 1.5 times as high.
        guard !overflow, !excess, product <= Int64.max / 4 else { throw .overflow }
        var unit = try Rational(1, over: 16)
        if let bound {
            guard bound > 0, event > 0 else { throw .notPositive(.contribution) }
            let byEvent = Self.leastBound * Double(event) > Double(bound)
            let (most, parts) = (Int128(byEvent ? event : bound), Int128(byEvent ? 16 : 100))
            unit = try Rational(most * most, over: parts)
        }
        self.init(unit: unit, square: product)
        // Beyond, nothing can be drawn.
        guard try least.approximate < 0x1p60 else { throw .tooWide }
    }

    /// Returns a width of the same unit with another square.
    package func squared(_ square: Int64) -> NoiseWidth { NoiseWidth(unit: unit, square: square) }

    private init(unit: Rational, square: Int64) { (self.unit, self.square) = (unit, square) }

    /// V: no whole-number combination of answers has a smaller variance. Unit: the measure's, squared.
    package var least: Rational { get throws(NoiseError) { try unit.multiplied(by: Rational(square)) } }
}

/// The variance of one layer of a question's noise: V / r(S) for the interaction S of the fields that the question tells apart.
///
/// V is (k/4)² for devices and (k·b/10)² for events and sums, or more (see ``NoiseWidth``). r(S) is the product of 1 − 1/n over the fields with n
/// buckets each: the part of a single cell that is left when a table's means are taken out. Dividing by it leaves V to
/// every interaction.
/// - Unit: the measure's, squared.
package struct LayerVariance: Hashable, Sendable {
    /// V: no whole-number combination of answers has a smaller variance, whatever the fields.
    package let least: Rational
    /// V / r(S), exactly.
    package let exact: Rational
    /// The noise that is drawn: of ``exact`` if the sampler takes fractions as fine as that, and otherwise of the next
    /// larger multiple of 2^−10, or whole number. More noise than is promised breaks no promise, and margins are
    /// computed from this one.
    package let drawn: DiscreteGaussian

    /// Sets the width for devices, or for events and sums.
    ///
    /// - Parameters:
    ///   - threshold: k. Unit: devices, at least 1.
    ///   - bound: the most that one device may add in a period, at least 1; nil if devices are counted.
    ///   - buckets: the number of buckets of each field of the interaction, at least 2.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooFewBuckets(_:)``, ``NoiseError/tooWide`` and ``NoiseError/overflow``.
    package init(threshold: Int64, bound: Int64? = nil, buckets: [Int]) throws(NoiseError) {
        try self.init(least: NoiseWidth(threshold: threshold, bound: bound).least, buckets: buckets)
    }

    /// Sets the width for any V.
    ///
    /// - Throws: the errors of ``init(threshold:bound:buckets:)``.
    package init(least: Rational, buckets: [Int]) throws(NoiseError) {
        self.least = least
        exact = try least.divided(by: Self.rest(of: buckets))
        drawn = try Self.drawable(exact)
    }

    /// Returns r(S) = Π (1 − 1/n): the squared length of what is left of one cell of a table without its means.
    ///
    /// - Throws: ``NoiseError/tooFewBuckets(_:)`` and ``NoiseError/overflow``.
    package static func rest(of buckets: [Int]) throws(NoiseError) -> Rational {
        var rest = Rational(1)
        for count in buckets {
            guard count > 1 else { throw .tooFewBuckets(count) }
            rest = try rest.multiplied(by: Rational(Int128(count) - 1, over: Int128(count)))
        }
        return rest
    }

    /// Returns the noise of that variance, or of the next larger one that the sampler takes.
    ///
    /// - Throws: ``NoiseError/tooWide``, and ``NoiseError/notPositive(_:)``.
    static func drawable(_ exact: Rational) throws(NoiseError) -> DiscreteGaussian {
        if let noise = try drawable(asItIs: exact) { return noise }
        for fineness: Int64 in [1024, 1] {
            let steps = try exact.multiplied(by: Rational(fineness)).floor
            if let noise = try drawable(asItIs: Rational(steps + 1, over: Int128(fineness))) { return noise }
        }
        throw .tooWide
    }

    private static func drawable(asItIs variance: Rational) throws(NoiseError) -> DiscreteGaussian? {
        do { return try DiscreteGaussian(variance: variance) } catch .tooFine { return nil }
    }
}

/// One of the two independent draws that are added to each cell of a question's table.
package enum Layer: Hashable, Sendable {
    /// The same in all periods: a mean over many of them is left with it.
    case kept(KeptNoise)
    /// New in each period and for each counted table: a difference of two periods is left with it. A database that was restored
    /// and counts something else draws anew, because equal noise would give the exact difference away.
    case fresh(LayerVariance, period: String, counted: CountedDigest)
}

/// The secret that noise is derived from, so that a question has the same noise whenever it is drawn.
///
/// The bits of a draw are HMAC-SHA-256 under the secret, counted up, of everything that the draw depends on; a restored database
/// and a daemon that starts again repeat it, which tells nobody anything new.
///
/// The promise of the noise then holds against anybody who can't tell HMAC from chance. The secret and a published
/// number are enough to try out what was counted. So the secret is kept like the counters, and never in the database.
package struct DrawSecret: Sendable {
    let key: SymmetricKey

    /// Derives noise from 32 secret bytes or more. Other uses of the same bytes are told apart by ``label``.
    package init(bytes: some Sequence<UInt8>) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Self.label, using: SymmetricKey(data: Array(bytes))))
    }

    /// The use of an installation's secret here, which separates it from its other uses.
    private static let label = Data("throng noise 1".utf8)

    /// Returns the noise of one layer of a question: a whole number for each cell of its table, the empty cells too.
    ///
    /// The same question, layer, variance and period, and for the fresh layer the same counted table, have the same noise
    /// whenever and wherever it is drawn. Anything else has noise that is independent of it.
    /// - Parameter cells: the number of cells of the question's table, at least 1; a part of what the draw depends on.
    /// - Returns: the noise. Unit: the measure's.
    /// - Throws: ``NoiseError/emptyUniverse``.
    /// - Complexity: O(cells) for each draw of the layer, about half a microsecond a number.
    package func noise(of question: QuestionKey, _ layer: Layer, cells: Int) throws(NoiseError) -> [Int64] {
        guard cells > 0 else { throw .emptyUniverse }
        switch layer {
        case .fresh(let variance, let period, let counted):
            let lines = ["fresh", question.hex, "\(variance.drawn.variance)", "\(cells)", counted.hex, period]
            return draw(variance.drawn, by: lines, cells: cells)
        case .kept(let noise):
            var sum: [Int64] = []
            for (rung, distribution) in zip(noise.rungs, noise.draws) {
                let lines = ["kept", question.hex, "\(rung)", "\(cells)"]
                let drawn = draw(distribution, by: lines, cells: cells)
                sum = sum.isEmpty ? drawn : zip(sum, drawn).map { Int64(clamping: Int128($0) + Int128($1)) }
            }
            return sum
        }
    }

    /// Returns the digest of a counted table, which a draw of the fresh layer depends on.
    ///
    /// - Parameter table: one number for each cell.
    package func digest(of table: [Int64]) -> CountedDigest {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data("question 1\ncounted\n".utf8))
        table.map(\.bigEndian).withUnsafeBytes { hash.update(data: $0) }
        return CountedDigest(bytes: Array(hash.finalize()))
    }

    /// Draws by a text of lines that is no other draw's: only the last line may hold anything.
    private func draw(_ distribution: DiscreteGaussian, by lines: [String], cells: Int) -> [Int64] {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data((["question 1"] + lines).joined(separator: "\n").utf8))
        var bits = RandomBits(KeyedGenerator(key: SymmetricKey(data: hash.finalize())))
        return (0..<cells).map { _ in Int64(clamping: distribution.sample(using: &bits)) }
    }
}

/// The key that a question's noise is drawn by: the SHA-256 of all that the question means, as one canonical text.
///
/// The text holds events, buckets, sampling and instants by extension, and no name of a metric or a partner. Two texts
/// are the same question only if they are the same bytes, so code that writes them sorts first.
package struct QuestionKey: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    package init(of canonicalText: String) { bytes = Array(SHA256.hash(data: Data(canonicalText.utf8))) }

    var hex: String { bytes.lowerHex }
}

/// A counted table as the fresh layer sees it: equal tables have equal digests, and only the secret can tell which table it was.
package struct CountedDigest: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    var hex: String { bytes.lowerHex }
}

extension [UInt8] { fileprivate var lowerHex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() } }
