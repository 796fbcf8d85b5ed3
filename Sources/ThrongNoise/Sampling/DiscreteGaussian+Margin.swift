extension DiscreteGaussian {
    /// The smallest m for which |noise| > m has a probability of at most `share`, where σ is below 2,048; above, an m
    /// that is too large by at most σ/500.
    ///
    /// The probability function is summed in whole numbers of 2^−100 that err on the wide side. For a large σ it is
    /// summed in blocks of σ/1,024: the function falls on both sides of 0, so a block's first value times its width
    /// bounds the block from above, and its last value from below.
    /// - Parameter share: above 0, below 1, with a denominator of at most 2^30; 1/20 gives 95 %.
    /// - Returns: Unit: that of the number.
    /// - Throws: ``NoiseError/notAShare(_:)``.
    /// - Complexity: O(σ) up to 2,048, O(10^4) above; the same in words of memory.
    package func margin(missing share: Rational) throws(NoiseError) -> Int128 {
        let (shareAbove, shareBelow) = try share.checkedShare
        let width = max(1, UInt128(deviationFloor) / 1024)
        let (uppers, lowerSum) = blocks(of: width)
        // P(|noise| > j·w − 1) ≤ 2w·Σ_{i ≥ j} f(i·w) / (1 + 2w·Σ_{i ≥ 1} f(i·w)). Divided by w, the 1 is dropped where
        // w exceeds 1, which errs on the wide side again.
        let whole = 2 * lowerSum + (width == 1 ? ExponentialBounds.one : 0)
        var tail: UInt128 = 0
        var block = uppers.count
        for (place, upper) in uppers.enumerated().reversed() {
            tail += upper
            guard ExponentialBounds.isAtMost(2 * tail, shareBelow, whole, shareAbove) else { break }
            block = place
        }
        // uppers[i] is f((i + 1)·w), so m + 1 = (block + 1)·w.
        return Int128(UInt128(block + 1) * width) - 1
    }

    /// f(w), f(2w), … from above until nothing is left of them, and their sum from below; f(x) = exp(−x² / 2σ²).
    ///
    /// f((j + 1)·w) = f(j·w) · g^(2j + 1) with g = exp(−w² / 2σ²): two multiplications a block.
    private func blocks(of width: UInt128) -> (uppers: [UInt128], lowerSum: UInt128) {
        // w ≤ σ/1,024, or w = 1: w²·b stays below 2^60.
        let single = ExponentialBounds(
            of: width * width * UInt128(variance.denominator), over: 2 * UInt128(variance.numerator))
        let squareUpper = ExponentialBounds.productUp(single.upper, single.upper)
        let squareLower = ExponentialBounds.product(single.lower, single.lower)
        var (upper, lower) = (single.upper, single.lower)
        var (ratioUpper, ratioLower) = (single.upper, single.lower)
        var uppers: [UInt128] = []
        var lowerSum: UInt128 = 0
        while upper > Self.negligible {
            uppers.append(upper)
            lowerSum += lower
            ratioUpper = ExponentialBounds.productUp(ratioUpper, squareUpper)
            ratioLower = ExponentialBounds.product(ratioLower, squareLower)
            upper = ExponentialBounds.productUp(upper, ratioUpper)
            lower = ExponentialBounds.product(lower, ratioLower)
        }
        // The rest: f(k·J·w) ≤ f(J·w)^k for J blocks, so all that follows is at most J·(f + f² + …) ≤ 2·J·f(J·w).
        uppers.append(2 * (UInt128(uppers.count) + 1) * upper)
        return (uppers, lowerSum)
    }

    /// Where a block no longer matters: 2^−80. Unit: 2^−100.
    private static let negligible: UInt128 = 1 << 20
}
