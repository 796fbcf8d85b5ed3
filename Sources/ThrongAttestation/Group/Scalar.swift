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
            for _ in 0..<6 {
                withUnsafeBytes(of: generator.next() as UInt64) { bytes.append(contentsOf: $0) }
            }
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
