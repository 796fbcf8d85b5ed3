/// Random primes for the second test of L1.
///
/// A combination of columns that does not exist over the rationals may exist modulo one prime in unlucky tables, but
/// never modulo most primes. Nobody who does not know the prime can make a table that fools the test.
package enum RandomPrime {
    /// A random prime between 2^60 and 2^61.
    ///
    /// - Complexity: about 21 candidates, a Miller–Rabin test each.
    package static func draw(using random: inout some RandomNumberGenerator) -> UInt64 {
        while true {
            let candidate = UInt64.random(in: (1 << 60)..<(1 << 61), using: &random) | 1
            if isPrime(candidate) { return candidate }
        }
    }

    /// Miller–Rabin with the twelve smallest primes as bases, which is exact below 3.3 · 10^24 (Sorenson and Webster 2015).
    static func isPrime(_ candidate: UInt64) -> Bool {
        if candidate < 2 { return false }
        let bases: [UInt64] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
        for base in bases where candidate % base == 0 { return candidate == base }
        let shift = (candidate - 1).trailingZeroBitCount
        let odd = (candidate - 1) >> UInt64(shift)
        bases: for base in bases {
            var power = Self.power(base, odd, candidate)
            if power == 1 || power == candidate - 1 { continue }
            for _ in 1..<max(shift, 1) {
                power = candidate.dividingFullWidth(power.multipliedFullWidth(by: power)).remainder
                if power == candidate - 1 { continue bases }
            }
            return false
        }
        return true
    }

    private static func power(_ base: UInt64, _ exponent: UInt64, _ modulus: UInt64) -> UInt64 {
        var result: UInt64 = 1
        var base = base
        var exponent = exponent
        while exponent > 0 {
            if exponent & 1 == 1 { result = modulus.dividingFullWidth(result.multipliedFullWidth(by: base)).remainder }
            base = modulus.dividingFullWidth(base.multipliedFullWidth(by: base)).remainder
            exponent >>= 1
        }
        return result
    }
}
