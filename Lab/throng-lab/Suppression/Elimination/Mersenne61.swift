/// Arithmetic modulo the prime 2^61 − 1, exact, with 128-bit products.
///
/// A combination of columns that vanishes over the rationals vanishes here too, so that "can be computed" is never
/// missed because of rounding. The converse could fail only if a subdeterminant were a multiple of the prime; the
/// verification repeats the test with a random prime.
enum Mersenne61 {
    static let modulus: UInt64 = (1 << 61) - 1
    static let minusOne: UInt64 = modulus - 1

    @inline(__always)
    static func add(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let sum = left &+ right
        return sum >= modulus ? sum &- modulus : sum
    }

    @inline(__always)
    static func negate(_ value: UInt64) -> UInt64 { value == 0 ? 0 : modulus &- value }

    @inline(__always)
    static func multiply(_ left: UInt64, _ right: UInt64) -> UInt64 {
        // Most coefficients of tables are 1 or −1.
        if left == 1 { return right }
        let product = left.multipliedFullWidth(by: right)
        let folded = (product.low & modulus) &+ ((product.low >> 61) | (product.high << 3))
        return folded >= modulus ? folded &- modulus : folded
    }

    /// The inverse of a non-zero value, by Fermat's little theorem.
    static func inverse(of value: UInt64) -> UInt64 {
        if value == 1 || value == minusOne { return value }
        var result: UInt64 = 1
        var base = value
        var exponent = modulus - 2
        while exponent > 0 {
            if exponent & 1 == 1 { result = multiply(result, base) }
            base = multiply(base, base)
            exponent >>= 1
        }
        return result
    }

    /// The representative nearest to zero.
    static func centred(_ value: UInt64) -> Int64 {
        value > modulus / 2 ? -Int64(modulus - value) : Int64(value)
    }

    /// The residue of an integer.
    static func residue(_ value: Int64) -> UInt64 {
        let rest = value % Int64(modulus)
        return rest < 0 ? UInt64(rest + Int64(modulus)) : UInt64(rest)
    }
}
