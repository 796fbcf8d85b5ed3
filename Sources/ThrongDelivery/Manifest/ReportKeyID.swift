internal import Crypto
internal import ThrongWire

/// Which key signed: the first 64 bits of the SHA-256 of its public part.
package struct ReportKeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hexadecimal digits.
    package let hex: String

    /// Wraps an id already in hexadecimal.
    package init(hex: String) { self.hex = hex }

    init(of publicKey: [UInt8]) { hex = Array(SHA256.hash(data: publicKey).prefix(8)).lowerHex }

    /// The digits.
    package var description: String { hex }
}
