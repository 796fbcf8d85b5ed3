/// An exact fraction, always reduced, its denominator positive.
///
/// Only the exact variance is the one that was proved (Mironov 2012, "On significance of the least significant bits for
/// differential privacy"). A loss of floating point on one variance would become a loss on each of a sum of thousands.
/// - Bounds: numerator and denominator are each within ±(2^127 − 1). A result that needs more throws
///   ``NoiseError/overflow``.
package struct Rational: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The numerator, which carries the sign; coprime to the denominator.
    package let numerator: Int128
    /// The denominator; at least 1.
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

    /// Takes parts that are known to be reduced.
    init(reduced numerator: Int128, over denominator: Int128) {
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    package static let zero = Rational(0)

    /// Returns the greatest common divisor of magnitudes below 2^127; at least 1 unless both are 0.
    static func greatestCommonDivisor(_ left: Int128, _ right: Int128) -> Int128 {
        var (larger, smaller) = (left.magnitude, right.magnitude)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return Int128(larger)
    }

    /// The exact sum.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func adding(_ other: Rational) throws(NoiseError) -> Rational {
        // The common denominator is the least one: thousands of equal variances must not grow on the way.
        let shared = Self.greatestCommonDivisor(denominator, other.denominator)
        let left = try Self.product(numerator, other.denominator / shared)
        let right = try Self.product(other.numerator, denominator / shared)
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard !overflow else { throw .overflow }
        return try Rational(sum, over: Self.product(denominator, other.denominator / shared))
    }

    /// The exact product.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func multiplied(by other: Rational) throws(NoiseError) -> Rational {
        // Reduced crosswise first, so that only what really does not fit overflows.
        let down = Self.greatestCommonDivisor(numerator, other.denominator)
        let up = Self.greatestCommonDivisor(other.numerator, denominator)
        return try Rational(
            Self.product(numerator / down, other.numerator / up),
            over: Self.product(denominator / up, other.denominator / down))
    }

    /// The exact quotient.
    ///
    /// - Throws: ``NoiseError/zeroDenominator`` and ``NoiseError/overflow``.
    package func divided(by other: Rational) throws(NoiseError) -> Rational {
        try multiplied(by: Rational(other.denominator, over: other.numerator))
    }

    /// The largest whole number that is not above it.
    package var floor: Int128 {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The nearest number in floating point, or one next to it; for weights, never for numbers that are claimed.
    package var approximate: Double { Double(numerator) / Double(denominator) }

    private static func product(_ left: Int128, _ right: Int128) throws(NoiseError) -> Int128 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        guard !overflow else { throw .overflow }
        return product
    }

    /// Orders by value; exact, because the cross products are taken in 256 bits.
    package static func < (left: Self, right: Self) -> Bool {
        let ours = left.numerator.multipliedFullWidth(by: right.denominator)
        let theirs = right.numerator.multipliedFullWidth(by: left.denominator)
        return (ours.high, ours.low) < (theirs.high, theirs.low)
    }

    /// The fraction as people write it: `3/7`, `-3/7`, and `10` for a whole number. Noise is drawn by it.
    package var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// The reason why something about noise was refused; each case is a fact with its numbers.
package enum NoiseError: Error, Sendable, Hashable, CustomStringConvertible {
    case overflow
    /// Noise of more than 2^30 units.
    case tooWide
    /// A counted number of more than 2^55 units.
    case tooLarge
    case zeroDenominator
    /// A variance or a limit that has to be more than zero.
    case notPositive(Quantity)
    /// A variance whose reduced numerator or denominator has too many bits for the exact sampler.
    case tooFine(Quantity, bits: Int, limit: Int)
    case emptyUniverse
    case tooFewBuckets(Int)
    case tooManyFields(found: Int, limit: Int)
    case tooManyCells(found: Int, limit: Int)
    /// A grouping by a field that the lattice does not have, a table of another interaction, or one that is missing.
    case notOfTheLattice

    /// A quantity that has to be positive or small.
    package enum Quantity: String, Sendable, Hashable {
        /// The variance of a draw.
        case variance
        /// The contribution limit of one identifier in one window.
        case contribution = "contribution limit"
        /// k.
        case threshold
    }

    package var description: String {
        switch self {
        case .overflow: "an exact fraction needs more than 128 bits; use rounder numbers for k and bounds"
        case .zeroDenominator: "a fraction has the denominator 0; write a number such as 1/2"
        case .tooWide:
            """
            one device may add so much that the noise for it needs more than 30 bits; keep fewer decimals, or lower 'to' or \
            'contribution_bound'
            """
        case .tooLarge:
            """
            a counter has more than 2^55 units, so that nothing can be drawn for it; keep fewer decimals, or clip the sum more \
            closely
            """
        case .notPositive(let quantity): "the \(quantity.rawValue) is not positive; give a number above 0"
        case .tooFine(let quantity, let bits, let limit):
            """
            the \(quantity.rawValue) needs \(bits) bits above or below its fraction bar, \(limit) are allowed; lower \
            the contribution bound or keep fewer decimals
            """
        case .emptyUniverse: "noise needs at least one grouping, one occasion and one cell"
        case .tooFewBuckets(let count): "a field of devices has \(count) buckets; give it 2 or more, or leave it out"
        case .tooManyFields(let found, let limit):
            "a metric tells devices apart by \(found) fields, \(limit) are allowed; leave some out"
        case .tooManyCells(let found, let limit):
            "a table of \(found) cells was asked for, \(limit) are allowed; use fewer or coarser fields"
        case .notOfTheLattice:
            "a table or grouping is not one of this metric's; draw every interaction of its groupings"
        }
    }
}
