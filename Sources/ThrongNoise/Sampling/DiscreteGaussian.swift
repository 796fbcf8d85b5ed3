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
