/// A number of 256 bits: four words, the lowest first. Nothing it does depends on its value but the result.
struct Limbs: Sendable {
    var w0, w1, w2, w3: UInt64

    static let zero = Limbs(0, 0, 0, 0)

    @inline(__always)
    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
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
    @inline(__always)
    func nibble(_ place: Int) -> UInt64 {
        let word =
            switch place / 16 {
            case 0: w0
            case 1: w1
            case 2: w2
            default: w3
            }
        return word &>> UInt64(4 * (place % 16)) & 15
    }

    @inline(__always)
    var isZero: Choice { Choice.isZero(w0 | w1 | w2 | w3) }

    @inline(__always)
    func equals(_ other: Limbs) -> Choice {
        Choice.isZero((w0 ^ other.w0) | (w1 ^ other.w1) | (w2 ^ other.w2) | (w3 ^ other.w3))
    }

    @inline(__always)
    static func pick(_ first: Limbs, _ second: Limbs, by choice: Choice) -> Limbs {
        Limbs(
            choice.pick(first.w0, second.w0), choice.pick(first.w1, second.w1), choice.pick(first.w2, second.w2),
            choice.pick(first.w3, second.w3))
    }

    /// The sum's lower 256 bits, and the bit above them.
    @inline(__always)
    func adding(_ other: Limbs) -> (sum: Limbs, carry: UInt64) {
        var carry: UInt64 = 0
        let r0 = Self.add(w0, other.w0, &carry)
        let r1 = Self.add(w1, other.w1, &carry)
        let r2 = Self.add(w2, other.w2, &carry)
        let r3 = Self.add(w3, other.w3, &carry)
        return (Limbs(r0, r1, r2, r3), carry)
    }

    /// The difference modulo 2²⁵⁶, and 1 if it was negative.
    @inline(__always)
    func subtracting(_ other: Limbs) -> (difference: Limbs, borrow: UInt64) {
        var borrow: UInt64 = 0
        let r0 = Self.subtract(w0, other.w0, &borrow)
        let r1 = Self.subtract(w1, other.w1, &borrow)
        let r2 = Self.subtract(w2, other.w2, &borrow)
        let r3 = Self.subtract(w3, other.w3, &borrow)
        return (Limbs(r0, r1, r2, r3), borrow)
    }

    @inline(__always)
    func masked(by choice: Choice) -> Limbs {
        Limbs(w0 & choice.mask, w1 & choice.mask, w2 & choice.mask, w3 & choice.mask)
    }

    @inline(__always)
    private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
        let sum = UInt128(left) &+ UInt128(right) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: sum &>> 64)
        return UInt64(truncatingIfNeeded: sum)
    }

    @inline(__always)
    private static func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
        let difference = UInt128(left) &- UInt128(right) &- UInt128(borrow)
        borrow = UInt64(truncatingIfNeeded: difference &>> 64) & 1
        return UInt64(truncatingIfNeeded: difference)
    }
}
