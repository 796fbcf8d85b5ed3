internal import ThrongIngest
internal import ThrongWire

/// The network of a connection: as large as one holder usually has, 256 addresses of IPv4 or a /48 of IPv6. It is held
/// in memory only.
struct NetworkPrefix: Hashable, Sendable, Unlogged {
    /// The prefix of connections by no network, or by one that is not known.
    static let unknown = NetworkPrefix(bytes: [])

    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ address: ClientAddress?) {
        let bytes = address?.bytes ?? []
        self.init(bytes: Array(bytes.prefix(bytes.count == 4 ? 3 : 6)))
    }

    /// Returns the prefix keyed with a window's key; it means nothing outside that window.
    func keyed(with key: WindowKey) -> KeyedIdentifier {
        // No identifier begins like this, as none is other than UTF-8, and no receipt.
        ([0xFE] + bytes).withUnsafeBytes { key.keyed($0) }
    }
}

/// A range of addresses, such as 10.0.0.0/8.
struct AddressRange: Hashable {
    private let first: ClientAddress
    private let bits: Int

    /// Reads "10.0.0.0/8" or "2001:db8::7"; nil for anything else, and for an address with bits behind its length.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = ClientAddress(String(parts[0])) else { return nil }
        let most = first.bytes.count * 8
        let bits = parts.count == 2 ? Int(parts[1]) ?? -1 : most
        guard (0...most).contains(bits), (bits..<most).allSatisfy({ first.bytes[$0 / 8] & 0x80 >> UInt8($0 % 8) == 0 })
        else { return nil }
        (self.first, self.bits) = (first, bits)
    }

    func contains(_ address: ClientAddress) -> Bool {
        address.bytes.count == first.bytes.count
            && (0..<bits).allSatisfy { (bit: Int) -> Bool in
                let mask: UInt8 = 0x80 >> (bit % 8)
                return address.bytes[bit / 8] & mask == first.bytes[bit / 8] & mask
            }
    }
}

extension ClientAddress {
    /// Networks that nobody has for himself. Source: RFC 6890 and RFC 6598 (shared address space of carriers).
    private static let local = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        "::1", "fc00::/7", "fe80::/10",
    ].compactMap { AddressRange($0) }

    /// True if the address is one of the internet, not of this machine or of a private network.
    var isPublic: Bool { !Self.local.contains { $0.contains(self) } }
}
