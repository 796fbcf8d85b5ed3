/// The 256 random bits of an installation from which releases draw their noise, or by which `throng suppress` breaks
/// ties: it chooses which of equally useful numbers stay to protect small ones.
///
/// The same secret over the same numbers draws and decides alike, so that a second run, or a run after a restore, tells
/// nothing that the first one kept back. Anybody who knows it can take the noise off, or replay which tables lead to a
/// published choice. So it is in a file of its own that only its owner may read, outside the database that it is used
/// on, and is never printed or logged.
package struct TieSecret: Sendable {
    package let bytes: [UInt8]

    /// The size of a secret. Unit: bytes.
    static let size = 32

    /// Draws a new one from the system's random source.
    package init() {
        var random = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Reads 64 hexadecimal digits, with or without blanks around them; nil for anything else.
    package init?(hex text: String) {
        var digits = text.utf8[...]
        let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        while let first = digits.first, blanks.contains(first) { digits.removeFirst() }
        while let last = digits.last, blanks.contains(last) { digits.removeLast() }
        guard digits.count == 2 * Self.size else { return nil }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count == digits.count else { return nil }
        bytes = (0..<Self.size).map { values[2 * $0] << 4 | values[2 * $0 + 1] }
    }

    /// The 64 hexadecimal digits that its file holds.
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
