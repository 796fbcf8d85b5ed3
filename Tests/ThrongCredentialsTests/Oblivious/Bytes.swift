/// Bytes for tests: from hexadecimal digits, and at random.
enum Bytes {
    /// An even number of hexadecimal digits, with spaces anywhere.
    static func of(_ hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        precondition(bytes.count * 2 == digits.count, "hexadecimal digits")
        return bytes
    }

    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

    /// One byte is another one.
    static func changed(_ bytes: [UInt8], at place: Int, by mask: UInt8) -> [UInt8] {
        var changed = bytes
        changed[place] ^= mask
        return changed
    }
}
