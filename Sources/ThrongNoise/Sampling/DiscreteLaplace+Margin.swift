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
