internal import ThrongWire

/// The network that a request comes from, and the place in it, for bounds by network. It is held in memory only.
struct ClientNetwork: Hashable, Sendable, Unlogged {
    /// All clients together whose address a listed proxy does not give readably.
    static let unreadable = ClientNetwork(prefix: .unknown, place: 0, claims: [])

    let prefix: NetworkPrefix
    /// The place in the network: one of 256 addresses, or a /64 of a /48 of IPv6.
    let place: UInt16
    /// The networks that clients of ``unreadable`` name: nobody gets round a bound by naming two.
    let claims: [ClientNetwork]

    private init(prefix: NetworkPrefix, place: UInt16, claims: [ClientNetwork]) {
        (self.prefix, self.place, self.claims) = (prefix, place, claims)
    }

    /// Creates the network of an address; nil without one, and for addresses of this machine and of private networks.
    /// Those say nothing of the client: proxies that are not listed have them.
    init?(internet address: ClientAddress?) {
        guard let address, address.isPublic else { return nil }
        self.init(address)
    }

    private init(_ address: ClientAddress) {
        let bytes = address.bytes
        let place = bytes.count == 4 ? UInt16(bytes[3]) : UInt16(bytes[6]) << 8 | UInt16(bytes[7])
        self.init(prefix: NetworkPrefix(address), place: place, claims: [])
    }

    /// Creates the network of a client; nil if no proxy speaks for it, and if it has no address of the internet.
    init?(of client: ForwardedFor.Client) {
        switch client {
        case .at(let address): self.init(internet: address)
        case .nobody: return nil
        case .unreadable(.contradictory(let clients)):
            self.init(prefix: .unknown, place: 0, claims: clients.compactMap { ClientNetwork(of: $0) })
        case .unreadable: self = .unreadable
        }
    }

    var isUnreadable: Bool { prefix == .unknown }

    /// Reads the text of ``hex``; nil for anything else.
    init?(hex text: Substring) {
        guard let bytes = [UInt8](hex: text) else { return nil }
        switch bytes.count {
        case 0: self = .unreadable
        case 4, 8:
            // A place of IPv6 has as many bytes again that nobody looks at.
            let rest = [UInt8](repeating: 0, count: bytes.count == 4 ? 0 : 8)
            guard let address = ClientAddress(bytes: bytes + rest) else { return nil }
            self.init(address)
        default: return nil
        }
    }

    /// The network and place in hexadecimal digits, for another daemon: 4 bytes of IPv4, 8 of IPv6, none if unreadable.
    var hex: String {
        switch prefix.bytes.count {
        case 3: (prefix.bytes + [UInt8(truncatingIfNeeded: place)]).lowerHex
        case 6: (prefix.bytes + [UInt8(place >> 8), UInt8(truncatingIfNeeded: place)]).lowerHex
        default: ""
        }
    }
}
