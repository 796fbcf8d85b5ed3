/// An odd number of 256 bits, and arithmetic modulo it in Montgomery's form: a number x is kept as x · 2²⁵⁶.
///
/// All numbers that go in are below the modulus unless it says otherwise, and so is all that comes out.
/// Source: Montgomery, "Modular multiplication without trial division" (1985); the order of the steps is CIOS of Koç, Acar and
/// Kaliski, "Analyzing and comparing Montgomery multiplication algorithms" (1996).
struct Modulus: Sendable {
    let value: Limbs
    /// −1 / value modulo 2⁶⁴.
    let negatedInverse: UInt64
    /// 2²⁵⁶ modulo the value: what 1 is kept as.
    let one: Limbs
    /// 2⁵¹² modulo the value: what brings a number into the form.
    let square: Limbs

    @inline(__always)
    func add(_ left: Limbs, _ right: Limbs) -> Limbs {
        let (sum, carry) = left.adding(right)
        return reduceOnce(sum, above: carry)
    }

    @inline(__always)
    func subtract(_ left: Limbs, _ right: Limbs) -> Limbs {
        let (difference, borrow) = left.subtracting(right)
        return difference.adding(value.masked(by: Choice(bit: borrow))).sum
    }

    /// left · right / 2²⁵⁶. One of the two may be any number of 256 bits.
    @inline(__always)
    func multiply(_ left: Limbs, _ right: Limbs) -> Limbs {
        var row = Row()
        step(&row, left.w0, right)
        step(&row, left.w1, right)
        step(&row, left.w2, right)
        step(&row, left.w3, right)
        return reduceOnce(Limbs(row.t0, row.t1, row.t2, row.t3), above: row.t4)
    }

    /// Brings any number of 256 bits into the form.
    func enter(_ number: Limbs) -> Limbs { multiply(number, square) }

    /// Takes a number out of the form.
    func leave(_ number: Limbs) -> Limbs { multiply(number, Limbs(1, 0, 0, 0)) }

    /// base to the power of an exponent that is public: a constant of the curve.
    func power(_ base: Limbs, _ exponent: Limbs) -> Limbs {
        var powers = [one, base]
        while powers.count < 16 { powers.append(multiply(powers[powers.count - 1], base)) }
        var result = one
        for place in stride(from: 63, through: 0, by: -1) {
            for _ in 0..<4 { result = multiply(result, result) }
            result = multiply(result, powers[Int(exponent.nibble(place))])
        }
        return result
    }

    /// A number of 384 bits, the highest byte first, in the form: below 2⁻¹²⁸ away from uniform if it is random.
    func enter(wide bytes: some Collection<UInt8>) -> Limbs {
        precondition(bytes.count == 48, "a number of 384 bits has 48 bytes")
        let high = enter(Limbs(bigEndian: bytes.prefix(16)))
        return add(multiply(high, square), enter(Limbs(bigEndian: bytes.dropFirst(16))))
    }

    /// The number itself, if it is below the modulus.
    func canonical(_ number: Limbs) -> Choice { Choice(bit: number.subtracting(value).borrow) }

    private struct Row {
        var t0, t1, t2, t3, t4: UInt64

        @inline(__always)
        init() { (t0, t1, t2, t3, t4) = (0, 0, 0, 0, 0) }
    }

    /// (row + word · right + q · value) / 2⁶⁴, with the q that makes it whole.
    @inline(__always)
    private func step(_ row: inout Row, _ word: UInt64, _ right: Limbs) {
        var carry: UInt64 = 0
        let s0 = Self.multiplyAdd(row.t0, word, right.w0, &carry)
        let s1 = Self.multiplyAdd(row.t1, word, right.w1, &carry)
        let s2 = Self.multiplyAdd(row.t2, word, right.w2, &carry)
        let s3 = Self.multiplyAdd(row.t3, word, right.w3, &carry)
        let top = UInt128(row.t4) &+ UInt128(carry)
        let q = s0 &* negatedInverse
        carry = 0
        _ = Self.multiplyAdd(s0, q, value.w0, &carry)
        row.t0 = Self.multiplyAdd(s1, q, value.w1, &carry)
        row.t1 = Self.multiplyAdd(s2, q, value.w2, &carry)
        row.t2 = Self.multiplyAdd(s3, q, value.w3, &carry)
        let last = top &+ UInt128(carry)
        row.t3 = UInt64(truncatingIfNeeded: last)
        row.t4 = UInt64(truncatingIfNeeded: last &>> 64)
    }

    /// The lower word of sum + left · right + carry; the upper one is the next carry. This never exceeds 128 bits.
    @inline(__always)
    private static func multiplyAdd(
        _ sum: UInt64, _ left: UInt64, _ right: UInt64, _ carry: inout UInt64
    ) -> UInt64 {
        let product = UInt128(left) &* UInt128(right) &+ UInt128(sum) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: product &>> 64)
        return UInt64(truncatingIfNeeded: product)
    }

    /// A number below twice the modulus, brought below it.
    @inline(__always)
    private func reduceOnce(_ number: Limbs, above: UInt64) -> Limbs {
        let (difference, borrow) = number.subtracting(value)
        return Limbs.pick(number, difference, by: Choice(bit: borrow & (above ^ 1)))
    }
}
