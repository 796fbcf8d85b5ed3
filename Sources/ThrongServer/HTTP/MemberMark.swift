internal import ThrongWire

/// What a daemon says of a request that it hands on: who it is, from which network the request came, and whether it was sealed.
///
/// On the wire: `throng-member: SECRET NETWORK SEALED`, the secret and the bytes of ``ClientNetwork/hex`` in hexadecimal digits, `-`
/// for a network that nobody knows, and 1 for sealed, 0 for not.
struct MemberMark: Hashable, Sendable {
    static let name = "throng-member"

    /// By what daemons know one another: bytes of which nothing was checked.
    let secret: [UInt8]
    /// Where the client is; nil where nobody knows.
    let network: ClientNetwork?
    let isSealed: Bool

    init(secret: [UInt8], network: ClientNetwork?, isSealed: Bool) {
        (self.secret, self.network, self.isSealed) = (secret, network, isSealed)
    }

    /// Nil for anything that no daemon writes.
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
    /// Reads hexadecimal digits, two a byte; nil for anything else.
    init?(hex text: Substring) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// Whether they are the same, in a time that does not tell where they differ.
    func isSame(as other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
