/// One raw field of an event, borrowed from the decoder for the length of a call. Never stored.
public enum FieldValue {
    /// The event has no such field, or it is null.
    case missing
    /// Text, as the UTF-8 bytes of the request.
    case text(FieldText)
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// true or false.
    case flag(Bool)
}

/// UTF-8 text that is borrowed, not copied; two are equal when their bytes are.
///
/// The bytes belong to the decoder's buffer and are valid only during the call that received them.
public struct FieldText {
    /// The borrowed bytes: valid UTF-8 without NUL.
    public let bytes: UnsafeBufferPointer<UInt8>

    /// Borrows bytes that the caller keeps alive.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }
}

extension FieldValue {
    /// The value as a finite number: a number, or text that is one ("390", "-2.5", "1e3"); nil for anything else.
    ///
    /// - Complexity: no allocation.
    package var numeric: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number.isFinite ? number : nil
        case .text(let text): Slice(base: text.bytes, bounds: text.bytes.indices).decimal
        case .missing, .flag: nil
        }
    }

    /// Lends the value's text: text as it came, whole numbers in decimal, flags as `true` and `false`; nil for the rest.
    ///
    /// - Complexity: no allocation on the heap.
    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        switch self {
        case .text(let text): return body(text.bytes)
        case .integer(let integer): return withDecimal(integer, body)
        case .number(let number):
            guard let integer = Int64(exactly: number) else { return nil }
            return withDecimal(integer, body)
        case .flag(let flag):
            let word: StaticString = flag ? "true" : "false"
            return word.withUTF8Buffer(body)
        case .missing: return nil
        }
    }

    private func withDecimal<Result>(_ integer: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var place = digits.count
            var rest = integer.magnitude
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                place -= 1
                digits[place] = UInt8(ascii: "-")
            }
            return body(UnsafeBufferPointer(rebasing: digits[place...]))
        }
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The decimal number that is written here, all of it; nil where anything else is, or it is out of a double's range.
    ///
    /// Shape: `[+-] digits [. digits] [e [+-] digits]`. Exact for up to 15 digits and powers of ten to 22 (Clinger,
    /// "How to Read Floating Point Numbers Accurately", 1990); beyond, the last bit may be off.
    var decimal: Double? {
        var rest = self
        let negative = rest.first == UInt8(ascii: "-")
        if negative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        var mantissa: UInt64 = 0
        var exponent = 0
        var digits = 0
        var isFraction = false
        scan: while let byte = rest.first {
            switch byte {
            case _ where byte.isDigit:
                digits += 1
                if mantissa < 100_000_000_000_000_000 {
                    mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            default: break scan
            }
            rest = rest.dropFirst()
        }
        guard digits > 0, let written = rest.writtenExponent else { return nil }
        exponent = Swift.min(Swift.max(exponent + written, -400), 400)
        let magnitude = Double(mantissa).scaled(byPowerOfTen: exponent)
        guard magnitude.isFinite else { return nil }
        return negative ? -magnitude : magnitude
    }

    /// `e5` as 5, nothing as 0, anything else as nil; clamped to ±10,000.
    private var writtenExponent: Int? {
        guard let first else { return 0 }
        guard first.lowercasedASCII == UInt8(ascii: "e") else { return nil }
        var rest = dropFirst()
        let negative = rest.first == UInt8(ascii: "-")
        if negative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return nil }
        var value = 0
        for byte in rest {
            guard byte.isDigit else { return nil }
            value = Swift.min(value * 10 + Int(byte - UInt8(ascii: "0")), 10_000)
        }
        return negative ? -value : value
    }
}

extension Double {
    /// This number times 10^exponent.
    func scaled(byPowerOfTen exponent: Int) -> Double {
        var value = self
        var left = exponent.magnitude
        while left > 0, value != 0, value.isFinite {
            // 10^22 is the largest power of ten that a double holds exactly.
            let step = Swift.min(left, 22)
            var power = 1.0
            for _ in 0..<step { power *= 10 }
            value = exponent < 0 ? value / power : value * power
            left -= step
        }
        return value
    }

    /// The shortest decimal that reads back as this number, whole numbers without a point.
    var shortestDecimal: String {
        if let integer = Int64(exactly: self), integer.magnitude < 1_000_000_000_000_000 { return String(integer) }
        return description
    }
}

extension String {
    /// Lends this string's bytes as a field value.
    package func withFieldValue<Result>(_ body: (FieldValue) throws -> Result) rethrows -> Result {
        var copy = self
        return try copy.withUTF8 { try body(.text(FieldText($0))) }
    }
}
