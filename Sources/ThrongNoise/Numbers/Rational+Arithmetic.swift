extension Rational {
    /// The exact sum.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func adding(_ other: Rational) throws(NoiseError) -> Rational {
        // Over the least common denominator: a budget adds thousands of equal costs and must not grow on the way.
        let shared = Self.greatestCommonDivisor(denominator, other.denominator)
        let left = try Self.product(numerator, other.denominator / shared)
        let right = try Self.product(other.numerator, denominator / shared)
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard !overflow else { throw .overflow }
        return try Rational(sum, over: Self.product(denominator, other.denominator / shared))
    }

    /// The exact difference.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func subtracting(_ other: Rational) throws(NoiseError) -> Rational {
        try adding(Rational(reduced: -other.numerator, over: other.denominator))
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

    private static func product(_ left: Int128, _ right: Int128) throws(NoiseError) -> Int128 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        guard !overflow else { throw .overflow }
        return product
    }
}

extension Rational: Comparable {
    /// Orders by value; exact, because the cross products are taken in 256 bits.
    package static func < (left: Self, right: Self) -> Bool {
        let ours = left.numerator.multipliedFullWidth(by: right.denominator)
        let theirs = right.numerator.multipliedFullWidth(by: left.denominator)
        return (ours.high, ours.low) < (theirs.high, theirs.low)
    }
}
