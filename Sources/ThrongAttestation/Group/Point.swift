internal import Crypto

/// A point of P-256, y² = x³ − 3x + b, in projective coordinates: x = X / Z, y = Y / Z. The identity is (0 : 1 : 0).
///
/// Sums and doubles are complete formulas: they hold for any two points, the same, opposite or the identity, with the same
/// operations in the same order. The group's order is prime, so there is no small subgroup that a point could lie in.
/// Source: Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves" (2016), algorithms 4 and 6.
struct Point: Sendable, Equatable {
    let x, y, z: FieldElement

    static let identity = Point(x: .zero, y: .one, z: .zero)

    /// G of NIST SP 800-186.
    static let generator = Point(
        x: FieldElement(
            Limbs(0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247)),
        y: FieldElement(
            Limbs(0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b)), z: .one)

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
        return Point(x: below * xy2 - high * yz2, y: above * below + xx3 * high, z: (yz2 * yy).doubled.doubled)
    }

    static prefix func - (point: Point) -> Point { Point(x: point.x, y: -point.y, z: point.z) }

    static func - (left: Point, right: Point) -> Point { left + -right }

    @inline(__always) static func pick(_ first: Point, _ second: Point, by choice: Choice) -> Point {
        Point(
            x: FieldElement.pick(first.x, second.x, by: choice), y: FieldElement.pick(first.y, second.y, by: choice),
            z: FieldElement.pick(first.z, second.z, by: choice))
    }

    /// Says whether two are the same point, in whatever coordinates; it takes the same time for all.
    static func == (left: Point, right: Point) -> Bool {
        let sameX = (left.x * right.z).equals(right.x * left.z)
        let sameY = (left.y * right.z).equals(right.y * left.z)
        return (sameX & sameY).isYes
    }
}

extension Point {
    static let byteCount = 33

    /// SEC 1, section 2.3.3, compressed: 2 where y is even and 3 where it is odd, then x, the highest byte first. The identity
    /// comes out as 33 zeros, which no decoder takes.
    var compressed: [UInt8] {
        let inverse = z.inverse
        let affineX = x * inverse
        let parity = (y * inverse).sign
        let prefix = (2 | parity) & (!isIdentity).mask
        return [UInt8(truncatingIfNeeded: prefix)] + affineX.bytes
    }

    /// SEC 1, section 2.3.4, compressed points only: nil for other lengths and first bytes, for an x from p on, and for one
    /// that no point of the curve has. The identity has no such form, so it is never read.
    init?(compressed bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, let prefix = bytes.first, prefix == 2 || prefix == 3,
            let x = FieldElement(canonical: bytes.dropFirst())
        else { return nil }
        let right = Self.right(of: x)
        let root = right.rootOfSquare
        guard root.squared.equals(right).isYes else { return nil }
        let isOther = Choice(bit: root.sign ^ UInt64(prefix & 1))
        self.init(x: x, y: FieldElement.pick(-root, root, by: isOther), z: .one)
    }

    /// x³ − 3x + b.
    static func right(of x: FieldElement) -> FieldElement { (x.squared * x - x.tripled) + b }

    /// The first 15 multiples of a point after the identity: what a window of four bits may ask for.
    private struct Multiples {
        private let points: [Point]

        init(of point: Point) {
            var points = [Point.identity, point]
            points.reserveCapacity(16)
            for multiple in 2..<16 {
                points.append(multiple % 2 == 0 ? points[multiple / 2].doubled : points[multiple - 1] + point)
            }
            self.points = points
        }

        /// Reads all of them, whichever is wanted.
        @inline(__always) subscript(digit: UInt64) -> Point {
            var found = points[0]
            for place in 1..<16 { found = Point.pick(points[place], found, by: Choice.isZero(digit ^ UInt64(place))) }
            return found
        }
    }

    /// k₁ · P₁ + … + kₘ · Pₘ, from the top four bits at a time; the doublings are shared.
    ///
    /// - Complexity: 256 doublings, and 78 additions a term, whatever the scalars are.
    static func sum(_ terms: [(scalar: Scalar, point: Point)]) -> Point {
        let digits = terms.map(\.scalar.number)
        let tables = terms.map { Multiples(of: $0.point) }
        var sum = Point.identity
        for place in stride(from: 63, through: 0, by: -1) {
            for _ in 0..<4 { sum = sum.doubled }
            for term in 0..<terms.count { sum = sum + tables[term][digits[term].nibble(place)] }
        }
        return sum
    }

    static func * (scalar: Scalar, point: Point) -> Point { sum([(scalar, point)]) }

    /// HashToGroup: hash_to_curve of P256_XMD:SHA-256_SSWU_RO_ (RFC 9380, sections 3 and 8.2).
    ///
    /// - Parameter domain: the whole of it, at most 255 bytes.
    init(hashing message: [UInt8], domain: [UInt8]) {
        let bytes = MessageExpansion.expand(message, domain: domain, count: 96)
        // The cofactor is 1: nothing to clear.
        self = Point(mapping: FieldElement(wide: bytes[..<48])) + Point(mapping: FieldElement(wide: bytes[48...]))
    }

    /// The simplified map of Shallue, van de Woestijne and Ulas (RFC 9380, sections 6.6.2 and F.2), for A = −3 and Z = −10;
    /// x comes as a fraction, and projective coordinates take it as it is.
    init(mapping u: FieldElement) {
        let zuu = -Self.ten * u.squared
        let sum = zuu.squared + zuu
        let numerator = Self.b * (sum + .one)
        let denominator = -(FieldElement.pick(-Self.ten, -sum, by: sum.isZero).tripled)
        let square = denominator.squared
        let cube = square * denominator
        // The curve's equation at numerator / denominator, as a fraction over the cube.
        let right = (numerator.squared - square.tripled) * numerator + Self.b * cube
        let (isSquare, root) = FieldElement.rootOfRatio(right, cube)
        let x = FieldElement.pick(numerator, zuu * numerator, by: isSquare)
        let y = FieldElement.pick(root, zuu * u * root, by: isSquare)
        let isOther = Choice(bit: u.sign ^ y.sign)
        self.init(x: x, y: FieldElement.pick(-y, y, by: isOther) * denominator, z: denominator)
    }

    private static let ten = FieldElement(Limbs(10, 0, 0, 0))
}

/// expand_message_xmd with SHA-256 (RFC 9380, section 5.3.1), and what is made of it: points and scalars.
enum MessageExpansion {
    /// The domain, 1 to 255 bytes, is a constant of the suite; the result has at most 8,160 bytes.
    static func expand(_ message: [UInt8], domain: [UInt8], count: Int) -> [UInt8] {
        let digestCount = SHA256.byteCount
        let blocks = (count + digestCount - 1) / digestCount
        precondition((1...255).contains(domain.count) && (1...255).contains(blocks), "RFC 9380 allows 255 at most")
        let suffix = domain + [UInt8(domain.count)]
        var first = SHA256()
        first.update(data: [UInt8](repeating: 0, count: SHA256.blockByteCount))
        first.update(data: message)
        first.update(data: [UInt8(count >> 8), UInt8(count & 0xff), 0])
        first.update(data: suffix)
        let start = [UInt8](first.finalize())
        var block = [UInt8](repeating: 0, count: digestCount)
        var bytes: [UInt8] = []
        for number in 1...blocks {
            var hash = SHA256()
            hash.update(data: zip(start, block).map { $0 ^ $1 })
            hash.update(data: [UInt8(number)])
            hash.update(data: suffix)
            block = [UInt8](hash.finalize())
            bytes += block
        }
        return [UInt8](bytes.prefix(count))
    }
}

extension Scalar {
    /// HashToScalar: hash_to_field of one element modulo n (RFC 9380, section 5.2, with L = 48).
    ///
    /// - Parameter domain: the whole of it, at most 255 bytes.
    init(hashing message: [UInt8], domain: [UInt8]) {
        self.init(wide: MessageExpansion.expand(message, domain: domain, count: 48))
    }
}
