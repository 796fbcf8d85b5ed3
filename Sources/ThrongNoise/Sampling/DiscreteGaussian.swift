/// Whole-number noise with P(x) proportional to exp(−x² / 2σ²), drawn exactly.
///
/// Sampling follows Canonne, Kamath and Steinke 2020, algorithm 3: a discrete Laplace number of scale ⌊σ⌋ + 1 is kept
/// with the probability exp(−(|y| − σ²/t)² / 2σ²). What ``DiscreteLaplace`` says about exactness and timing holds here.
/// - Unit: that of the number which it protects.
package struct DiscreteGaussian: Sendable, Hashable {
    /// σ². The variance of what is drawn is slightly below it, as the paper shows. Unit: the number's, squared.
    package let variance: Rational
    private let above: UInt64
    private let below: UInt64
    /// t = ⌊σ⌋ + 1; at most 2^30.
    private let proposal: UInt64

    /// Checks a variance.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``, and ``NoiseError/tooFine(_:bits:limit:)`` from 60 bits a side.
    package init(variance: Rational) throws(NoiseError) {
        let parts = try DiscreteLaplace.parts(of: variance, .variance)
        self.variance = variance
        (above, below) = parts
        // ⌊√(a/b)⌋ = ⌊√⌊a/b⌋⌋.
        proposal = (parts.above / parts.below).squareRootFloor + 1
    }

    /// ⌊σ⌋. Unit: that of the number which it protects.
    package var deviationFloor: UInt64 { proposal - 1 }

    /// Draws one number.
    ///
    /// - Complexity: expected O(1) coins for any σ, constant memory.
    package func sample(using bits: inout some BitSource) -> Int128 {
        while true {
            if let drawn = attempt(using: &bits) { return drawn }
        }
    }

    /// One round, or nil where it has to start again; see ``DiscreteLaplace``.
    func attempt(using bits: inout some BitSource) -> Int128? {
        guard let drawn = DiscreteLaplace.attempt(above: proposal, below: 1, using: &bits) else { return nil }
        // For σ² = a/b the exponent is (|y|·b·t − a)² / (2·a·b·t²). With a, b < 2^60: b·t² ≤ 4·max(a, b) < 2^62, so the
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
}

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
