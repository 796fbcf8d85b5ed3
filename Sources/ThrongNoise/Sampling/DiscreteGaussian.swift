internal import Crypto
internal import Foundation

/// Whole-number noise with P(x) proportional to exp(−x² / 2σ²), drawn exactly.
///
/// Sampling follows Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for Differential Privacy", algorithm 3: a discrete
/// Laplace number of scale t = ⌊σ⌋ + 1 is kept with the probability exp(−(|y| − σ²/t)² / 2σ²). There are fair bits and whole
/// numbers only: no rounding, so no two neighbouring tables have different sets of possible outcomes, which is how
/// floating-point noise is taken apart (Mironov 2012).
///
/// **Timing.** A draw takes longer the larger the number turns out: an attacker who times a single draw learns about
/// its size (Jin, McMurtry, Rubinstein and Ohrimenko 2022, "Are We There Yet? Timing and Floating-Point Attacks on
/// Differential Privacy Systems"). Throng draws a whole release in one go, hours after the events, on no one's request,
/// and shows nobody when it began. Never draw while a client waits.
/// - Unit: that of the number that it protects.
package struct DiscreteGaussian: Sendable, Hashable {
    /// The variance σ² of the law. The variance of what is drawn is slightly below it, as the paper shows. Unit: the
    /// number's, squared.
    package let variance: Rational
    private let above: UInt64
    private let below: UInt64
    /// The scale of the Laplace numbers: t = ⌊σ⌋ + 1; at most 2^30.
    private let proposal: UInt64

    /// Checks a variance.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``, and ``NoiseError/tooFine(_:bits:limit:)`` from 60 bits a side.
    package init(variance: Rational) throws(NoiseError) {
        let parts = try Self.parts(of: variance)
        self.variance = variance
        (above, below) = parts
        // ⌊√(a/b)⌋ = ⌊√⌊a/b⌋⌋.
        proposal = (parts.above / parts.below).squareRootFloor + 1
    }

    /// Draws one number.
    ///
    /// - Complexity: expected O(1) coins for any σ, constant memory.
    package func sample(using bits: inout some BitSource) -> Int128 {
        while true { if let drawn = attempt(using: &bits) { return drawn } }
    }

    /// Makes one round; nil if it has to start again.
    ///
    /// Every rejection starts the whole round again, with fresh flips. The law of a round that gives a number is
    /// therefore the sampler's, and a test can walk through all of a round.
    func attempt(using bits: inout some BitSource) -> Int128? {
        guard let drawn = Self.laplace(scale: proposal, using: &bits) else { return nil }
        // If σ² = a/b, the exponent is (|y|·b·t − a)² / (2·a·b·t²). With a, b < 2^60: b·t² ≤ 4·max(a, b) < 2^62, so the
        // divisor stays under 2^123; |y| ≤ t·(2^32 + 1), so the base stays under 2^95, its square needs 256 bits, and
        // the quotient is at most b·t²·(2^32 + 1)² / 2a < 2^127. Nothing below can overflow.
        let step = UInt128(below) * UInt128(proposal)
        let centre = UInt128(above)
        let divisor = 2 * centre * step * UInt128(proposal)
        let reached = drawn.magnitude * step
        let base = reached > centre ? reached - centre : centre - reached
        let (whole, rest) = divisor.dividingFullWidth(base.multipliedFullWidth(by: base))
        return bits.exponentialCoin(whole: whole, rest, over: divisor) ? drawn : nil
    }

    /// The most bits above or below the fraction bar of a variance.
    private static let mostBits = 60

    private static func parts(of variance: Rational) throws(NoiseError) -> (above: UInt64, below: UInt64) {
        guard variance > .zero else { throw .notPositive(.variance) }
        let bits = Int128.bitWidth - max(variance.numerator, variance.denominator).leadingZeroBitCount
        guard bits <= mostBits else { throw .tooFine(.variance, bits: bits, limit: mostBits) }
        return (UInt64(variance.numerator), UInt64(variance.denominator))
    }

    /// Makes one round of a discrete Laplace number of a whole scale, P(x) proportional to exp(−|x| / scale); nil if it
    /// has to start again (algorithm 2). It takes a uniform remainder, accepted with exp(−remainder/scale), and a count
    /// of whole scales.
    ///
    /// The remainder is uniform by rejection; the rest of a division instead would favour small ones.
    private static func laplace(scale: UInt64, using bits: inout some BitSource) -> Int128? {
        let remainder = bits.bits(UInt64.bitWidth - (scale - 1).leadingZeroBitCount)
        guard remainder < scale, bits.exponentialCoin(upToOne: UInt128(remainder), over: UInt128(scale)) else {
            return nil
        }
        // 2^32 heads in a row have the probability exp(−2^32): no machine will ever meet the bound, and with it the
        // arithmetic of a round provably fits into 128 bits.
        var scales: UInt64 = 0
        while scales < 1 << 32, bits.exponentialCoin(upToOne: 1, over: 1) { scales += 1 }
        let size = UInt128(remainder) + UInt128(scale) * UInt128(scales)
        let isNegative = bits.bits(1) == 1
        // Minus zero is zero: counted twice it would be twice as likely as it should be.
        if isNegative && size == 0 { return nil }
        return isNegative ? -Int128(size) : Int128(size)
    }
}

extension UInt64 {
    /// The largest whole number whose square is not above this one.
    var squareRootFloor: UInt64 {
        var root: UInt64 = 0
        var bit: UInt64 = 1 << 31
        while bit > 0 {
            let tried = root | bit
            if tried * tried <= self { root = tried }
            bit >>= 1
        }
        return root
    }
}

/// A source of fair coin flips.
///
/// The samplers see single bits and nothing else, so that a test can walk through every sequence of flips and add up
/// the exact probability of each outcome.
package protocol BitSource {
    /// Returns `count` independent fair bits as a number below 2^count.
    ///
    /// - Parameter count: 0 to 64.
    mutating func bits(_ count: Int) -> UInt64
}

/// The bits of a random number generator, every one used once: a draw of noise takes 25 to 65, mostly one by one.
package struct RandomBits<Generator: RandomNumberGenerator>: BitSource {
    private var generator: Generator
    /// The bits not used yet, in the low places.
    private var pool: UInt64 = 0
    private var left = 0

    package init(_ generator: Generator) { self.generator = generator }

    package mutating func bits(_ count: Int) -> UInt64 {
        // Shifts by 64 give 0 in Swift, so neither a full nor an empty pool is a special case.
        if count <= left {
            let taken = pool & Self.mask(count)
            pool >>= UInt64(count)
            left -= count
            return taken
        }
        let kept = left
        let missing = count - kept
        let fresh = generator.next()
        let taken = pool | (fresh & Self.mask(missing)) << UInt64(kept)
        pool = fresh >> UInt64(missing)
        left = 64 - missing
        return taken
    }

    private static func mask(_ count: Int) -> UInt64 { (1 << UInt64(count)) &- 1 }
}

extension BitSource {
    /// True with the probability numerator / denominator.
    ///
    /// A uniform number between 0 and 1 is compared with the fraction, binary digit by binary digit, until they differ:
    /// exact for any denominator, and two flips on average where a uniform number below the denominator takes all its
    /// bits.
    /// - Parameters:
    ///   - numerator: 0 to the denominator.
    ///   - denominator: 1 to 2^127.
    mutating func coin(_ numerator: UInt128, over denominator: UInt128) -> Bool {
        guard numerator < denominator else { return true }
        var rest = numerator
        // If nothing is left, the fraction's digits are all 0, and the number can't fall below it any more.
        while rest > 0 {
            rest += rest
            let digit = rest >= denominator
            if digit { rest -= denominator }
            if (bits(1) == 1) != digit { return digit }
        }
        return false
    }

    /// True with the probability exp(−γ), for γ = whole + numerator / denominator.
    ///
    /// Canonne, Kamath and Steinke 2020, algorithm 1: a run of coins with the probabilities γ, γ/2, γ/3, … has an
    /// even number of heads with the probability Σ (−γ)^k / k! = exp(−γ), for γ up to 1; larger ones are products.
    /// A coin of γ/k is flipped as one of 1/k and one of γ, so that no product of theirs has to fit into 128 bits.
    /// - Parameter numerator: below the denominator.
    /// - Complexity: expected, fewer than 5 coins for any γ.
    mutating func exponentialCoin(whole: UInt128, _ numerator: UInt128, over denominator: UInt128) -> Bool {
        var left = whole
        while left > 0 {
            guard exponentialCoin(upToOne: 1, over: 1) else { return false }
            left -= 1
        }
        return exponentialCoin(upToOne: numerator, over: denominator)
    }

    /// See ``exponentialCoin(whole:_:over:)``, for γ = numerator / denominator up to 1.
    mutating func exponentialCoin(upToOne numerator: UInt128, over denominator: UInt128) -> Bool {
        var round: UInt128 = 1
        while coin(1, over: round), coin(numerator, over: denominator) { round += 1 }
        return round % 2 == 1
    }
}

/// HMAC-SHA-256 in counter mode: random numbers to anybody who does not know the key, and the same ones for everybody
/// who has it.
///
/// - Complexity: one HMAC for four numbers.
package struct KeyedGenerator: RandomNumberGenerator, Sendable {
    private let key: SymmetricKey
    private var block: UInt64 = 0
    private var words: [UInt64] = []

    init(key: SymmetricKey) { self.key = key }

    package mutating func next() -> UInt64 {
        if let word = words.popLast() { return word }
        let code = HMAC<SHA256>.authenticationCode(for: withUnsafeBytes(of: block.bigEndian) { Data($0) }, using: key)
        block += 1
        code.withUnsafeBytes { bytes in
            words = stride(from: 0, to: 32, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        }
        return words.removeLast()
    }
}
