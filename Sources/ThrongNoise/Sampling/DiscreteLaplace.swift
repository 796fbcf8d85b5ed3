/// Whole-number noise with P(x) proportional to exp(−|x| / scale), drawn exactly.
///
/// Sampling follows Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for Differential Privacy", algorithm 2,
/// with fair bits and whole numbers only: no rounding, so no two neighbouring tables have different sets of possible
/// outcomes, which is how floating-point noise is taken apart (Mironov 2012).
///
/// **Timing.** A draw takes longer the larger the number turns out: whoever times a single draw learns about its size
/// (Jin, McMurtry, Rubinstein and Ohrimenko 2022, "Are We There Yet? Timing and Floating-Point Attacks on Differential
/// Privacy Systems"). Throng draws a whole release in one go, hours after the events, on no one's request, and shows
/// nobody when it began; never draw while a client waits.
/// - Unit: that of the number which it protects.
package struct DiscreteLaplace: Sendable, Hashable {
    /// 1 / the decay per step. Unit: that of the number which it protects.
    package let scale: Rational
    private let above: UInt64
    private let below: UInt64

    /// Most bits above or below the fraction bar of a scale or a variance.
    static let mostBits = 60

    /// Checks a scale.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``, and ``NoiseError/tooFine(_:bits:limit:)`` from 60 bits a side.
    package init(scale: Rational) throws(NoiseError) {
        let parts = try Self.parts(of: scale, .scale)
        self.scale = scale
        (above, below) = parts
    }

    static func parts(
        of number: Rational, _ quantity: NoiseError.Quantity
    ) throws(NoiseError) -> (above: UInt64, below: UInt64) {
        guard number.isPositive else { throw .notPositive(quantity) }
        let bits = Int128.bitWidth - max(number.numerator, number.denominator).leadingZeroBitCount
        guard bits <= mostBits else { throw .tooFine(quantity, bits: bits, limit: mostBits) }
        return (UInt64(number.numerator), UInt64(number.denominator))
    }

    /// Draws one number.
    ///
    /// - Complexity: expected O(1) coins, constant memory.
    package func sample(using bits: inout some BitSource) -> Int128 {
        while true {
            if let drawn = attempt(using: &bits) { return drawn }
        }
    }

    /// One round, or nil where it has to start again.
    ///
    /// Every rejection starts the whole round again, with fresh flips: what a round gives, given that it gives
    /// anything, is what the sampler gives, and a test can walk through all of a round.
    func attempt(using bits: inout some BitSource) -> Int128? {
        Self.attempt(above: above, below: below, using: &bits)
    }

    /// The number as steps of 1/above: a uniform remainder, accepted with exp(−remainder/above), and a count of whole
    /// scales make a geometric number, which `below` then divides.
    ///
    /// The remainder is uniform by rejection; the rest of a division instead would favour small ones.
    static func attempt(above: UInt64, below: UInt64, using bits: inout some BitSource) -> Int128? {
        let remainder = bits.bits(UInt64.bitWidth - (above - 1).leadingZeroBitCount)
        guard remainder < above, bits.exponentialCoin(upToOne: UInt128(remainder), over: UInt128(above)) else {
            return nil
        }
        // 2^32 heads in a row have the probability exp(−2^32): no machine will ever meet the bound, and with it the
        // arithmetic below provably fits into 128 bits.
        var scales: UInt64 = 0
        while scales < 1 << 32, bits.exponentialCoin(upToOne: 1, over: 1) { scales += 1 }
        let size = (UInt128(remainder) + UInt128(above) * UInt128(scales)) / UInt128(below)
        let isNegative = bits.bits(1) == 1
        // Minus zero is zero: counted twice it would be twice as likely as it should be.
        if isNegative && size == 0 { return nil }
        return isNegative ? -Int128(size) : Int128(size)
    }
}

extension DiscreteLaplace {
    /// The smallest m for which |noise| > m has a probability of at most `share`: a published number is within ±m of
    /// the counted one with the confidence 1 − share.
    ///
    /// P(|noise| > m) = 2·exp(−(m + 1)/scale) / (1 + exp(−1/scale)), compared in whole numbers with bounds of 2^−100
    /// that err on the wide side.
    /// - Parameter share: above 0, below 1, with a denominator of at most 2^30; 1/20 gives 95 %.
    /// - Returns: Unit: that of the number.
    /// - Throws: ``NoiseError/notAShare(_:)``.
    /// - Complexity: O(log scale).
    package func margin(missing share: Rational) throws(NoiseError) -> Int128 {
        let (above, below) = try share.checkedShare
        let (scaleAbove, scaleBelow) = (UInt128(scale.numerator), UInt128(scale.denominator))
        let single = ExponentialBounds(of: scaleBelow, over: scaleAbove)
        func isEnough(_ margin: UInt128) -> Bool {
            // At most 2^67 · 2^60.
            let tail = ExponentialBounds(of: (margin + 1) * scaleBelow, over: scaleAbove)
            return ExponentialBounds.isAtMost(
                2 * tail.upper, below, ExponentialBounds.one + single.lower, above)
        }
        // ln(2 · 2^30) < 22 scales are always enough.
        var (low, high) = (UInt128(0), 22 * (scaleAbove / scaleBelow + 1))
        while low < high {
            let middle = low + (high - low) / 2
            if isEnough(middle) { high = middle } else { low = middle + 1 }
        }
        return Int128(low)
    }
}

extension Rational {
    /// Numerator and denominator of a share that confidence can be computed for.
    var checkedShare: (above: UInt128, below: UInt128) {
        get throws(NoiseError) {
            guard isPositive, numerator < denominator, denominator <= 1 << 30 else { throw .notAShare(self) }
            return (UInt128(numerator), UInt128(denominator))
        }
    }
}
