/// Natural numbers as at school, 32 bits a digit: slow, and with no line of what they check.
struct Schoolbook: Equatable {
    /// The lowest first, without zeros at the top.
    private var digits: [UInt32]

    private init(digits: [UInt32]) {
        self.digits = digits
        while self.digits.last == 0 { self.digits.removeLast() }
    }

    init(_ number: UInt32) { self.init(digits: [number]) }

    init(_ bytes: [UInt8]) {
        self.init(0)
        for byte in bytes { self = self * Schoolbook(256) + Schoolbook(UInt32(byte)) }
    }

    init(hex: String) { self.init(Bytes.of(hex)) }

    static let p = Schoolbook(hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    static let n = Schoolbook(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    /// 32 bytes, the highest first.
    var bytes: [UInt8] {
        (0..<32).reversed().map { place in
            place / 4 < digits.count ? UInt8(truncatingIfNeeded: digits[place / 4] >> UInt32(8 * (place % 4))) : 0
        }
    }

    static func + (left: Schoolbook, right: Schoolbook) -> Schoolbook {
        var digits: [UInt32] = []
        var carry: UInt64 = 0
        for place in 0..<max(left.digits.count, right.digits.count) {
            carry += UInt64(left.digit(place)) + UInt64(right.digit(place))
            digits.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        return Schoolbook(digits: digits + [UInt32(carry)])
    }

    /// The smaller from the larger.
    static func - (left: Schoolbook, right: Schoolbook) -> Schoolbook {
        var digits: [UInt32] = []
        var borrow: Int64 = 0
        for place in 0..<left.digits.count {
            borrow += Int64(left.digit(place)) - Int64(right.digit(place))
            digits.append(UInt32(truncatingIfNeeded: borrow))
            borrow >>= 32
        }
        return Schoolbook(digits: digits)
    }

    static func * (left: Schoolbook, right: Schoolbook) -> Schoolbook {
        var sum = Schoolbook(0)
        for (place, digit) in left.digits.enumerated() {
            var row = [UInt32](repeating: 0, count: place)
            var carry: UInt64 = 0
            for other in right.digits {
                carry += UInt64(digit) * UInt64(other)
                row.append(UInt32(truncatingIfNeeded: carry))
                carry >>= 32
            }
            sum = sum + Schoolbook(digits: row + [UInt32(carry)])
        }
        return sum
    }

    /// Long division, a bit at a time.
    static func % (number: Schoolbook, modulus: Schoolbook) -> Schoolbook {
        var rest = Schoolbook(0)
        for place in (0..<(32 * number.digits.count)).reversed() {
            let bit = number.digits[place / 32] >> UInt32(place % 32) & 1
            rest = rest + rest + Schoolbook(bit)
            if !(rest < modulus) { rest = rest - modulus }
        }
        return rest
    }

    static func < (left: Schoolbook, right: Schoolbook) -> Bool {
        if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
        return left.digits.reversed().lexicographicallyPrecedes(right.digits.reversed())
    }

    private func digit(_ place: Int) -> UInt32 { place < digits.count ? digits[place] : 0 }
}
