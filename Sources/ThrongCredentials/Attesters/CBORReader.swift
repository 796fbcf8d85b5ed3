/// Reads the part of CBOR (RFC 8949) that platforms attest in: integers, byte and text strings, arrays and maps of
/// definite length, each in its shortest form. The caller looks at what is left behind a value.
struct CBORReader {
    /// A value.
    indirect enum Value: Hashable {
        case unsigned(UInt64)
        case negative(UInt64)
        case bytes([UInt8])
        case text(String)
        case array([Value])
        case map([Value: Value])
    }

    private let input: [UInt8]
    private(set) var offset: Int

    /// Deeper values are none.
    private static let deepest = 8

    init(_ input: [UInt8], from offset: Int = 0) { (self.input, self.offset) = (input, offset) }

    var isAtEnd: Bool { offset == input.count }

    /// The next value; nil if there is none of the part.
    mutating func next(depth: Int = 0) -> Value? {
        guard depth < Self.deepest, let first = byte() else { return nil }
        guard let argument = argument(first & 0x1f) else { return nil }
        switch first >> 5 {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return take(argument).map { .bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4:
            var values: [Value] = []
            // A value takes a byte at least: no memory for what is only announced.
            guard argument <= UInt64(input.count - offset) else { return nil }
            for _ in 0..<argument {
                guard let value = next(depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .array(values)
        case 5:
            var values: [Value: Value] = [:]
            guard argument <= UInt64(input.count - offset) else { return nil }
            for _ in 0..<argument {
                guard let key = next(depth: depth + 1), let value = next(depth: depth + 1),
                    values.updateValue(value, forKey: key) == nil
                else { return nil }
            }
            return .map(values)
        default: return nil
        }
    }

    private mutating func byte() -> UInt8? {
        guard offset < input.count else { return nil }
        defer { offset += 1 }
        return input[offset]
    }

    private mutating func argument(_ information: UInt8) -> UInt64? {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27, let bytes = take(1 << UInt64(information - 24)) else { return nil }
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        let shortest: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
        return number >= shortest[Int(information - 24)] ? number : nil
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(input.count - offset) else { return nil }
        defer { offset += Int(count) }
        return input[offset..<offset + Int(count)]
    }
}
