/// A point of P-256, y² = x³ − 3x + b, in projective coordinates: x = X / Z, y = Y / Z. The identity is (0 : 1 : 0).
///
/// Sums and doubles are complete formulas: they hold for any two points, the same, opposite or the identity, with the same
/// operations in the same order. The group's order is prime, so there is no small subgroup that a point could lie in.
/// Source: Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves" (2016), algorithms 4 and 6.
struct Point: Sendable {
    let x, y, z: FieldElement

    static let identity = Point(x: .zero, y: .one, z: .zero)

    /// G of NIST SP 800-186.
    static let generator = Point(
        x: FieldElement(
            Limbs(0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247)),
        y: FieldElement(
            Limbs(0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b)),
        z: .one)

    /// The curve's b.
    static let b = FieldElement(
        Limbs(0x3bce_3c3e_27d2_604b, 0x651d_06b0_cc53_b0f6, 0xb3eb_bd55_7698_86bc, 0x5ac6_35d8_aa3a_93e7))

    var isIdentity: Choice { z.isZero }

    /// Algorithm 4.
    static func + (left: Point, right: Point) -> Point {
        let xx = left.x * right.x
        let yy = left.y * right.y
        let zz = left.z * right.z
        let xy = (left.x + left.y) * (right.x + right.y) - (xx + yy)
        let yz = (left.y + left.z) * (right.y + right.z) - (yy + zz)
        let xz = (left.x + left.z) * (right.x + right.z) - (xx + zz)
        let low = (xz - b * zz).tripled
        let below = yy - low
        let above = yy + low
        let zz3 = zz.tripled
        let high = (b * xz - zz3 - xx).tripled
        let xx3 = xx.tripled - zz3
        return Point(x: above * xy - yz * high, y: above * below + xx3 * high, z: below * yz + xy * xx3)
    }

    /// Algorithm 6.
    var doubled: Point {
        let xx = x.squared
        let yy = y.squared
        let zz = z.squared
        let xy2 = (x * y).doubled
        let xz2 = (x * z).doubled
        let yz2 = (y * z).doubled
        let low = (Self.b * zz - xz2).tripled
        let below = yy - low
        let above = yy + low
        let zz3 = zz.tripled
        let high = (Self.b * xz2 - zz3 - xx).tripled
        let xx3 = xx.tripled - zz3
        return Point(
            x: below * xy2 - high * yz2, y: above * below + xx3 * high, z: (yz2 * yy).doubled.doubled)
    }

    static prefix func - (point: Point) -> Point { Point(x: point.x, y: -point.y, z: point.z) }

    static func - (left: Point, right: Point) -> Point { left + -right }

    @inline(__always)
    static func pick(_ first: Point, _ second: Point, by choice: Choice) -> Point {
        Point(
            x: FieldElement.pick(first.x, second.x, by: choice), y: FieldElement.pick(first.y, second.y, by: choice),
            z: FieldElement.pick(first.z, second.z, by: choice))
    }
}

extension Point: Equatable {
    /// Says whether two are the same point, in whatever coordinates; it takes the same time for all.
    static func == (left: Point, right: Point) -> Bool {
        let sameX = (left.x * right.z).equals(right.x * left.z)
        let sameY = (left.y * right.z).equals(right.y * left.z)
        return (sameX & sameY).isYes
    }
}
