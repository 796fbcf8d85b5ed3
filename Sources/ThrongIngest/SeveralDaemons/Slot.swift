internal import Crypto

/// The unit by which identifiers are shared out among daemons: the first byte of the SHA-256 of an identifier as the
/// client sends it. It changes with the identifier. It tells a load balancer nothing new, as that sees the whole request anyway.
package struct Slot: Sendable, Hashable {
    /// 0 to 255.
    package let number: Int

    package static let count = 256

    /// Returns the slot of an identifier or, for a purpose without identifiers, of a batch's name.
    package init(of text: some Sequence<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(text))
        number = Int(hash.finalize().withUnsafeBytes { $0[0] })
    }

    /// Returns the slot with a number; nil unless it is within 0 to 255.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }
}
