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

    @inline(__always)
    init(residue: Limbs) { self.residue = residue }

    /// Any number of 256 bits, reduced.
    init(_ number: Limbs) { residue = Self.modulus.enter(number) }

    /// sgn0 of RFC 9380: 1 if the number is odd.
    var sign: UInt64 { number.w0 & 1 }

    @inline(__always)
    var isZero: Choice { residue.isZero }

    @inline(__always)
    func equals(_ other: FieldElement) -> Choice { residue.equals(other.residue) }

    @inline(__always)
    static func pick(_ first: FieldElement, _ second: FieldElement, by choice: Choice) -> FieldElement {
        FieldElement(residue: Limbs.pick(first.residue, second.residue, by: choice))
    }

    // A call of its own: a product in place a hundred times over is more code than the caches of small devices hold.
    @inline(never)
    static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        FieldElement(residue: modulus.multiply(left.residue, right.residue))
    }

    @inline(__always)
    var squared: FieldElement { self * self }

    @inline(__always)
    var doubled: FieldElement { self + self }

    @inline(__always)
    var tripled: FieldElement { self + self + self }

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
        let exponent = Limbs(
            0xffff_ffff_ffff_ffff, 0x0000_0000_3fff_ffff, 0x4000_0000_0000_0000, 0x3fff_ffff_c000_0000)
        let root = (uv * v.squared).power(exponent) * uv
        let isSquare = (root.squared * v).equals(u)
        return (isSquare, pick(root, root * rootOfTen, by: isSquare))
    }

    /// √10, that is √−Z.
    private static let rootOfTen = FieldElement(
        Limbs(0x2ccd_3427_e433_c47f, 0x7b8d_1ff8_4c55_d5b6, 0xc978_fc67_5180_aab2, 0xda53_8e3b_e1d8_9b99))
}
