internal import ThrongIngest
internal import ThrongWire

/// The network of a connection: as large as one holder usually has, 256 addresses of IPv4 or a /48 of IPv6.
///
/// It is held in memory only, and prints as its type's name.
struct NetworkPrefix: Hashable, Sendable {
    /// The prefix of connections by no network, or by one that is not known.
    static let unknown = NetworkPrefix(bytes: [])

    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ address: ClientAddress?) {
        guard let bytes = address?.bytes else {
            self = .unknown
            return
        }
        self.init(bytes: Array(bytes.prefix(bytes.count == 4 ? 3 : 6)))
    }

    /// Returns the prefix keyed with a window's key; it means nothing outside that window.
    func keyed(with key: WindowKey) -> KeyedIdentifier {
        // No identifier begins like this, as none is other than UTF-8, and no receipt.
        ([0xFE] + bytes).withUnsafeBytes { key.keyed($0) }
    }
}

extension NetworkPrefix: CustomStringConvertible, CustomReflectable {
    var description: String { "NetworkPrefix" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientAddress {
    /// Networks that nobody has for himself. Source: RFC 6890 and RFC 6598 (shared address space of carriers).
    private static let local: [(first: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 168], 16),
        (Array(repeating: 0, count: 15) + [1], 128), ([0xFC], 7), ([0xFE, 0x80], 10),
    ]

    /// True if the address is one of the internet, not of this machine or of a private network.
    var isPublic: Bool {
        !Self.local.contains { first, bits in
            // The networks of IPv6 begin with 0xFC or 0xFE, or have 16 bytes.
            let isSix = first.count == 16 || first[0] >= 0xFC
            guard isSix == (bytes.count == 16) else { return false }
            return (0..<bits).allSatisfy { bit in
                (bytes[bit / 8] ^ first[bit / 8]) & 0x80 >> UInt8(bit % 8) == 0
            }
        }
    }
}
