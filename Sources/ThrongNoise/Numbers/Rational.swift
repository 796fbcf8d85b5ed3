/// An exact fraction, always reduced, its denominator positive.
///
/// Privacy losses are added up for months; floating point would lose or invent budget on the way, and a scale that is
/// not exact is not the scale that was proved (Mironov, 2012, "On significance of the least significant bits for
/// differential privacy").
/// - Bounds: numerator and denominator each within ±(2^127 − 1). What needs more throws ``NoiseError/overflow``.
package struct Rational: Sendable, Hashable {
    /// Carries the sign. Coprime to the denominator.
    package let numerator: Int128
    /// At least 1.
    package let denominator: Int128

    /// Reduces a fraction.
    ///
    /// - Throws: ``NoiseError/zeroDenominator``, and ``NoiseError/overflow`` for a part of −2^127.
    /// - Complexity: O(bits), by Euclid.
    package init(_ numerator: Int128, over denominator: Int128) throws(NoiseError) {
        guard denominator != 0 else { throw .zeroDenominator }
        // -2^127 has no opposite.
        guard numerator != .min, denominator != .min else { throw .overflow }
        let divisor = Self.greatestCommonDivisor(numerator, denominator)
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.numerator = sign * (numerator / divisor)
        self.denominator = sign * (denominator / divisor)
    }

    /// A whole number.
    package init(_ whole: Int64) {
        numerator = Int128(whole)
        denominator = 1
    }

    /// For parts that are known to be reduced.
    init(reduced numerator: Int128, over denominator: Int128) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Nothing.
    package static let zero = Rational(0)

    /// Whether it is more than zero.
    package var isPositive: Bool { numerator > 0 }

    /// Of magnitudes below 2^127; at least 1 unless both are 0.
    static func greatestCommonDivisor(_ left: Int128, _ right: Int128) -> Int128 {
        var (larger, smaller) = (left.magnitude, right.magnitude)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return Int128(larger)
    }
}
