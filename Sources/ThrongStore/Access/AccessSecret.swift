internal import Crypto
internal import Foundation
internal import ThrongWire

/// A token as its owner holds it: `throng_1f2e3d4c_` and 43 letters, digits, hyphens or underscores.
///
/// The letters are 256 random bits, so that a single SHA-256 keeps them: there is nothing to guess.
package struct AccessSecret: Sendable {
    /// Its public part: eight hexadecimal digits.
    package let id: String
    private let secret: [UInt8]

    private static let start = "throng_"

    /// Draws a new one.
    package init() {
        var random = SystemRandomNumberGenerator()
        id = (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &random) }.lowerHex
        secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Reads one; nil for anything else.
    package init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = trimmed.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "throng", parts[1].utf8.count == 8, [UInt8](hex: String(parts[1])) != nil,
            parts[2].utf8.count == 43
        else { return nil }
        let base64 = String(parts[2]).replacing("-", with: "+").replacing("_", with: "/") + "="
        guard let bytes = Data(base64Encoded: base64), bytes.count == 32 else { return nil }
        id = String(parts[1])
        secret = Array(bytes)
        // The last letter has two bits that belong to no byte: one spelling is right, not four.
        guard self.text == trimmed else { return nil }
    }

    /// As its owner gets it, once.
    package var text: String {
        let letters = Data(secret).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .prefix(43)
        return "\(Self.start)\(id)_\(letters)"
    }

    /// What is kept of it: 32 bytes.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }

    /// Whether what is kept is of this one; takes as long for any other.
    func matches(_ kept: [UInt8]) -> Bool {
        kept.count == 32 && zip(kept, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
