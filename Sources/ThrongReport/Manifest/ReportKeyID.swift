internal import Crypto
internal import ThrongWire

/// Which key signed: the first 64 bits of the SHA-256 of its public part.
public struct ReportKeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hexadecimal digits.
    public let hex: String

    /// Wraps an id already in hexadecimal.
    public init(hex: String) { self.hex = hex }

    init(of publicKey: [UInt8]) { hex = Array(SHA256.hash(data: publicKey).prefix(8)).lowerHex }

    /// The digits.
    public var description: String { hex }
}
