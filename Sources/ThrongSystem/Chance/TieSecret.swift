internal import Crypto

/// The 256 random bits of an installation from which releases draw their noise, or by which `throng suppress` breaks
/// ties: it chooses which of equally useful numbers stay to protect small ones.
///
/// The same secret over the same numbers draws and decides alike, so that a second run, or a run after a restore, tells
/// nothing that the first one kept back. Anybody who knows it can take the noise off, or replay which tables lead to a
/// published choice. So it is in a file of its own that only its owner may read, outside the database that it is used
/// on, and is never printed or logged.
package struct TieSecret: Sendable {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The size of a secret. Unit: bytes.
    static let size = 32

    /// Draws a new one from the system's random source.
    package init() {
        var random = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Makes the secret of a trial: the same for the same seed, and not secret at all.
    package init(trial seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        bytes = (0..<Self.size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
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

    /// Returns the seed of one decision: the first eight bytes of an HMAC-SHA-256 over what it is about.
    ///
    /// - Parameters:
    ///   - use: the kind of decision.
    ///   - parts: the data that tells it from others of its kind; each goes in with its length, so that no two lists
    ///     are alike.
    package func seed(for use: String, _ parts: [[UInt8]]) -> UInt64 {
        var hmac = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        for part in [Array(use.utf8)] + parts {
            let length = UInt64(part.count)
            hmac.update(data: (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) })
            hmac.update(data: part)
        }
        return hmac.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
