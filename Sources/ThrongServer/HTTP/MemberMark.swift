internal import ThrongWire

/// The mark of a request that a daemon hands on: the daemons' secret, the request's network, and whether it was sealed.
///
/// The wire format is `throng-member: SECRET NETWORK SEALED`: the secret and the bytes of ``ClientNetwork/hex`` in
/// hexadecimal digits, `-` for a network that is not known, and 1 for sealed, 0 for not.
struct MemberMark: Hashable, Sendable {
    static let name = "throng-member"

    /// The secret by which daemons know one another. It is not checked here.
    let secret: [UInt8]
    /// The client's network; nil if it is not known.
    let network: ClientNetwork?
    let isSealed: Bool

    init(secret: [UInt8], network: ClientNetwork?, isSealed: Bool) {
        (self.secret, self.network, self.isSealed) = (secret, network, isSealed)
    }

    /// Reads a mark; nil for anything that no daemon writes.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let secret = [UInt8](hex: words[0]), ["0", "1"].contains(words[2]) else { return nil }
        var network: ClientNetwork?
        if words[1] != "-" {
            guard let known = ClientNetwork(hex: words[1]) else { return nil }
            network = known
        }
        self.init(secret: secret, network: network, isSealed: words[2] == "1")
    }

    var text: String { "\(secret.lowerHex) \(network?.hex ?? "-") \(isSealed ? 1 : 0)" }
}

extension [UInt8] {
    /// Returns true if both are the same, in a time that does not tell where they differ.
    func isSame(as other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
