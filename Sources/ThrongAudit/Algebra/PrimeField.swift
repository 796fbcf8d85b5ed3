/// Whole numbers modulo a prime below 2^62: exact elimination without growing numbers.
struct PrimeField: Sendable {
    /// The modulus.
    let prime: UInt64

    /// 2^61 − 1.
    static let first = PrimeField(prime: 2_305_843_009_213_693_951)
    /// 2^61 − 31, so that a coincidence modulo the first does not repeat.
    static let second = PrimeField(prime: 2_305_843_009_213_693_921)

    func reduce(_ value: Int64) -> UInt64 {
        let rest = value % Int64(prime)
        return rest < 0 ? UInt64(rest + Int64(prime)) : UInt64(rest)
    }

    func add(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let sum = left + right
        return sum >= prime ? sum - prime : sum
    }

    func negate(_ value: UInt64) -> UInt64 { value == 0 ? 0 : prime - value }

    func multiply(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return prime.dividingFullWidth((product.high, product.low)).remainder
    }

    /// Fermat: value^(p − 2).
    func invert(_ value: UInt64) -> UInt64 {
        var (result, base, exponent) = (UInt64(1), value, prime - 2)
        while exponent > 0 {
            if exponent & 1 == 1 { result = multiply(result, base) }
            base = multiply(base, base)
            exponent >>= 1
        }
        return result
    }

    /// The fraction with numerator and denominator under 2^30 that a residue stands for, if there is one.
    ///
    /// Source: Wang, "A p-adic algorithm for univariate partial fractions", 1981.
    func fraction(_ residue: UInt64) -> Rational? {
        let bound: Int64 = 1 << 30
        var (above, current) = (Int64(prime), Int64(residue))
        var (before, factor) = (Int128(0), Int128(1))
        while current >= bound {
            let quotient = above / current
            (above, current) = (current, above % current)
            (before, factor) = (factor, before - Int128(quotient) * factor)
        }
        guard factor != 0, factor.magnitude < UInt128(bound) else { return nil }
        return Rational(Int128(current), over: factor)
    }
}
