extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits a byte.
    package var lowerHex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension [UInt8] {
    /// The bytes of an even number of hexadecimal digits; nil for anything else.
    package init?(hex: some StringProtocol) {
        let digits = Array<UInt8>(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }
}
