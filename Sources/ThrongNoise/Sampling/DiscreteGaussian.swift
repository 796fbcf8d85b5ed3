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
