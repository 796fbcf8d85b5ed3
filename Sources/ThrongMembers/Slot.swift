internal import Crypto

/// By what identifiers are shared out among daemons: the first byte of the SHA-256 of an identifier as the client sends it. It
/// changes with the identifier, and says nothing that a balancer, which sees the whole request, does not see anyway.
package struct Slot: Sendable, Hashable {
    /// 0 to 255.
    package let number: Int

    /// How many there are.
    package static let count = 256

    /// The slot of an identifier; where a purpose has none, of a batch's name.
    package init(of text: some Sequence<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(text))
        number = Int(hash.finalize().withUnsafeBytes { $0[0] })
    }

    /// Nil for a number that no slot has.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }
}
