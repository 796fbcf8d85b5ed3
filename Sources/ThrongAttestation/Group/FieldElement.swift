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
struct Scalar: Residue {
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
}

extension Scalar: Equatable, CustomStringConvertible, CustomReflectable {
    var description: String { "Scalar" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
