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

    @inline(__always) func add(_ left: Limbs, _ right: Limbs) -> Limbs {
        let (sum, carry) = left.adding(right)
        return reduceOnce(sum, above: carry)
    }

    @inline(__always) func subtract(_ left: Limbs, _ right: Limbs) -> Limbs {
        let (difference, borrow) = left.subtracting(right)
        return difference.adding(value.masked(by: Choice(bit: borrow))).sum
    }

    /// left · right / 2²⁵⁶. One of the two may be any number of 256 bits.
    @inline(__always) func multiply(_ left: Limbs, _ right: Limbs) -> Limbs {
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

        @inline(__always) init() { (t0, t1, t2, t3, t4) = (0, 0, 0, 0, 0) }
    }

    /// (row + word · right + q · value) / 2⁶⁴, with the q that makes it whole.
    @inline(__always) private func step(_ row: inout Row, _ word: UInt64, _ right: Limbs) {
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
    @inline(__always) private static func multiplyAdd(
        _ sum: UInt64, _ left: UInt64, _ right: UInt64, _ carry: inout UInt64
    ) -> UInt64 {
        let product = UInt128(left) &* UInt128(right) &+ UInt128(sum) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: product &>> 64)
        return UInt64(truncatingIfNeeded: product)
    }

    /// A number below twice the modulus, brought below it.
    @inline(__always) private func reduceOnce(_ number: Limbs, above: UInt64) -> Limbs {
        let (difference, borrow) = number.subtracting(value)
        return Limbs.pick(number, difference, by: Choice(bit: borrow & (above ^ 1)))
    }
}

/// A number of 256 bits: four words, the lowest first. Nothing it does depends on its value but the result.
struct Limbs: Sendable {
    var w0, w1, w2, w3: UInt64

    static let zero = Limbs(0, 0, 0, 0)

    @inline(__always) init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
        (self.w0, self.w1, self.w2, self.w3) = (w0, w1, w2, w3)
    }

    /// - Parameter bytes: up to 32, the highest first.
    init(bigEndian bytes: some Collection<UInt8>) {
        precondition(bytes.count <= 32, "a number of 256 bits has at most 32 bytes")
        self = .zero
        for byte in bytes {
            w3 = w3 &<< 8 | w2 &>> 56
            w2 = w2 &<< 8 | w1 &>> 56
            w1 = w1 &<< 8 | w0 &>> 56
            w0 = w0 &<< 8 | UInt64(byte)
        }
    }

    /// 32 bytes, the highest first.
    var bigEndian: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [w3, w2, w1, w0] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word &>> shift))
            }
        }
        return bytes
    }

    /// Four bits, counted from the lowest; the place, 0 to 63, is public.
    @inline(__always) func nibble(_ place: Int) -> UInt64 {
        let word =
            switch place / 16 {
            case 0: w0
            case 1: w1
            case 2: w2
            default: w3
            }
        return word &>> UInt64(4 * (place % 16)) & 15
    }

    @inline(__always) var isZero: Choice { Choice.isZero(w0 | w1 | w2 | w3) }

    @inline(__always) func equals(_ other: Limbs) -> Choice {
        Choice.isZero((w0 ^ other.w0) | (w1 ^ other.w1) | (w2 ^ other.w2) | (w3 ^ other.w3))
    }

    @inline(__always) static func pick(_ first: Limbs, _ second: Limbs, by choice: Choice) -> Limbs {
        Limbs(
            choice.pick(first.w0, second.w0), choice.pick(first.w1, second.w1), choice.pick(first.w2, second.w2),
            choice.pick(first.w3, second.w3))
    }

    /// The sum's lower 256 bits, and the bit above them.
    @inline(__always) func adding(_ other: Limbs) -> (sum: Limbs, carry: UInt64) {
        var carry: UInt64 = 0
        let r0 = Self.add(w0, other.w0, &carry)
        let r1 = Self.add(w1, other.w1, &carry)
        let r2 = Self.add(w2, other.w2, &carry)
        let r3 = Self.add(w3, other.w3, &carry)
        return (Limbs(r0, r1, r2, r3), carry)
    }

    /// The difference modulo 2²⁵⁶, and 1 if it was negative.
    @inline(__always) func subtracting(_ other: Limbs) -> (difference: Limbs, borrow: UInt64) {
        var borrow: UInt64 = 0
        let r0 = Self.subtract(w0, other.w0, &borrow)
        let r1 = Self.subtract(w1, other.w1, &borrow)
        let r2 = Self.subtract(w2, other.w2, &borrow)
        let r3 = Self.subtract(w3, other.w3, &borrow)
        return (Limbs(r0, r1, r2, r3), borrow)
    }

    @inline(__always) func masked(by choice: Choice) -> Limbs {
        Limbs(w0 & choice.mask, w1 & choice.mask, w2 & choice.mask, w3 & choice.mask)
    }

    @inline(__always) private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
        let sum = UInt128(left) &+ UInt128(right) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: sum &>> 64)
        return UInt64(truncatingIfNeeded: sum)
    }

    @inline(__always) private static func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
        let difference = UInt128(left) &- UInt128(right) &- UInt128(borrow)
        borrow = UInt64(truncatingIfNeeded: difference &>> 64) & 1
        return UInt64(truncatingIfNeeded: difference)
    }
}

/// A yes or no that may be secret: all bits set, or none. It picks values by masks, never by a branch.
///
/// Source: Bernstein, Lange and Schwabe, "The security impact of a new cryptographic library" (2012): no branch and no address
/// depends on a secret.
struct Choice: Sendable {
    /// All ones for yes, zero for no.
    let mask: UInt64

    /// - Parameter bit: 1 for yes, 0 for no; nothing else.
    @inline(__always) init(bit: UInt64) { mask = 0 &- bit }

    @inline(__always) private init(mask: UInt64) { self.mask = mask }

    @inline(__always) static func isZero(_ word: UInt64) -> Choice { Choice(bit: ((word | (0 &- word)) &>> 63) ^ 1) }

    @inline(__always) static func & (left: Choice, right: Choice) -> Choice { Choice(mask: left.mask & right.mask) }

    @inline(__always) static prefix func ! (choice: Choice) -> Choice { Choice(mask: ~choice.mask) }

    /// The first value for yes, the second for no.
    @inline(__always) func pick(_ first: UInt64, _ second: UInt64) -> UInt64 { second ^ (mask & (first ^ second)) }

    /// The answer as something to branch on: only where it is public, or about to be.
    var isYes: Bool { mask != 0 }
}

/// A coordinate of P-256: a number modulo p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, in Montgomery's form.
///
/// Sources: NIST SP 800-186, section 3.2.1.3, for the curve; RFC 9380, sections 4 and F.2.1.2, for signs and roots.
struct FieldElement: Residue {
    let residue: Limbs

    static let modulus = Modulus(
        value: Limbs(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001),
        negatedInverse: 1,
        one: Limbs(0x0000_0000_0000_0001, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_fffe),
        square: Limbs(0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd))

    @inline(__always) init(residue: Limbs) { self.residue = residue }

    /// Any number of 256 bits, reduced.
    init(_ number: Limbs) { residue = Self.modulus.enter(number) }

    /// sgn0 of RFC 9380: 1 if the number is odd.
    var sign: UInt64 { number.w0 & 1 }

    @inline(__always) var isZero: Choice { residue.isZero }

    @inline(__always) func equals(_ other: FieldElement) -> Choice { residue.equals(other.residue) }

    @inline(__always)
    static func pick(_ first: FieldElement, _ second: FieldElement, by choice: Choice) -> FieldElement {
        FieldElement(residue: Limbs.pick(first.residue, second.residue, by: choice))
    }

    // A call of its own: a product in place a hundred times over is more code than the caches of small devices hold.
    @inline(never) static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        FieldElement(residue: modulus.multiply(left.residue, right.residue))
    }

    @inline(__always) var squared: FieldElement { self * self }

    @inline(__always) var doubled: FieldElement { self + self }

    @inline(__always) var tripled: FieldElement { self + self + self }

    /// 1 / self, and 0 for 0: the power of p − 2 (Fermat).
    var inverse: FieldElement {
        power(Limbs(0xffff_ffff_ffff_fffd, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001))
    }

    /// A root of self where it has one: the power of (p + 1) / 4. The caller checks.
    var rootOfSquare: FieldElement {
        power(Limbs(0x0000_0000_0000_0000, 0x0000_0000_4000_0000, 0x4000_0000_0000_0000, 0x3fff_ffff_c000_0000))
    }

    /// RFC 9380's sqrt_ratio for p ≡ 3 modulo 4 (F.2.1.2), with Z = −10: a root of u / v, or where there is none one of Z · u / v.
    static func rootOfRatio(_ u: FieldElement, _ v: FieldElement) -> (isSquare: Choice, root: FieldElement) {
        let uv = u * v
        let exponent = Limbs(0xffff_ffff_ffff_ffff, 0x0000_0000_3fff_ffff, 0x4000_0000_0000_0000, 0x3fff_ffff_c000_0000)
        let root = (uv * v.squared).power(exponent) * uv
        let isSquare = (root.squared * v).equals(u)
        return (isSquare, pick(root, root * rootOfTen, by: isSquare))
    }

    /// √10, that is √−Z.
    private static let rootOfTen = FieldElement(
        Limbs(0x2ccd_3427_e433_c47f, 0x7b8d_1ff8_4c55_d5b6, 0xc978_fc67_5180_aab2, 0xda53_8e3b_e1d8_9b99))
}

/// A number modulo one of the two primes of P-256, in Montgomery's form.
protocol Residue: Sendable {
    static var modulus: Modulus { get }
    var residue: Limbs { get }

    /// - Parameter residue: in the form, below the modulus.
    init(residue: Limbs)
}

extension Residue {
    @inline(__always) static var zero: Self { Self(residue: .zero) }
    @inline(__always) static var one: Self { Self(residue: modulus.one) }

    /// A number of 384 bits, the highest byte first, reduced.
    init(wide bytes: some Collection<UInt8>) { self.init(residue: Self.modulus.enter(wide: bytes)) }

    /// - Parameter bytes: 32, the highest first; nil if they are a number from the modulus on.
    init?(canonical bytes: some Collection<UInt8>) {
        let number = Limbs(bigEndian: bytes)
        guard Self.modulus.canonical(number).isYes else { return nil }
        self.init(residue: Self.modulus.enter(number))
    }

    /// 32 bytes, the highest first.
    var bytes: [UInt8] { number.bigEndian }

    /// Itself, out of the form.
    var number: Limbs { Self.modulus.leave(residue) }

    /// Returns the power of an exponent that is public.
    func power(_ exponent: Limbs) -> Self { Self(residue: Self.modulus.power(residue, exponent)) }

    @inline(__always)
    static func + (left: Self, right: Self) -> Self { Self(residue: modulus.add(left.residue, right.residue)) }

    @inline(__always)
    static func - (left: Self, right: Self) -> Self { Self(residue: modulus.subtract(left.residue, right.residue)) }

    @inline(__always) static prefix func - (number: Self) -> Self { zero - number }
}

/// A number modulo the order n of P-256's group, in Montgomery's form. It may be a secret: it prints as nothing but its type.
/// Its memory is not wiped after it: Swift copies values as it likes.
///
/// Source: NIST SP 800-186, section 3.2.1.3.
struct Scalar: Residue, Equatable, CustomStringConvertible, CustomReflectable {
    static let byteCount = 32

    let residue: Limbs

    static let modulus = Modulus(
        value: Limbs(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000),
        negatedInverse: 0xccd1_c8aa_ee00_bc4f,
        one: Limbs(0x0c46_353d_039c_daaf, 0x4319_0552_58e8_617b, 0x0000_0000_0000_0000, 0x0000_0000_ffff_ffff),
        square: Limbs(0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620))

    init(residue: Limbs) { self.residue = residue }

    /// - Parameter number: any word; it is below n.
    init(_ number: UInt64) { residue = Self.modulus.enter(Limbs(number, 0, 0, 0)) }

    /// A secret from 1 to n − 1: 384 random bits, reduced, which is 2⁻¹²⁸ away from uniform.
    static func random(using generator: inout some RandomNumberGenerator) -> Scalar {
        while true {
            var bytes: [UInt8] = []
            for _ in 0..<6 { withUnsafeBytes(of: generator.next() as UInt64) { bytes.append(contentsOf: $0) } }
            let scalar = Scalar(wide: bytes)
            if !scalar.isZero { return scalar }
        }
    }

    /// True if it is 0; asked only if the answer is public.
    var isZero: Bool { residue.isZero.isYes }

    static func * (left: Scalar, right: Scalar) -> Scalar {
        Scalar(residue: modulus.multiply(left.residue, right.residue))
    }

    /// Says whether two are the same; it takes the same time for all.
    static func == (left: Scalar, right: Scalar) -> Bool { left.residue.equals(right.residue).isYes }

    /// 1 / self, and 0 for 0: the power of n − 2 (Fermat).
    var inverse: Scalar {
        power(Limbs(0xf3b9_cac2_fc63_254f, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000))
    }

    var description: String { "Scalar" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
