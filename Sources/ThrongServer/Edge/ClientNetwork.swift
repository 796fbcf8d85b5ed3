internal import ThrongWire

/// The network that a request comes from, and where in it, for what is bounded by networks.
///
/// In memory only; it prints as its type's name.
struct ClientNetwork: Hashable, Sendable {
    /// All clients together of whom a listed proxy does not say readably where they are.
    static let unreadable = ClientNetwork(prefix: .unknown, place: 0, claims: [])

    let prefix: NetworkPrefix
    /// One of the network's 256 addresses, or a /64 of a /48 of IPv6.
    let place: UInt16
    /// The networks that those of ``unreadable`` name: nobody gets round a bound by naming two.
    let claims: [ClientNetwork]

    private init(prefix: NetworkPrefix, place: UInt16, claims: [ClientNetwork]) {
        (self.prefix, self.place, self.claims) = (prefix, place, claims)
    }

    /// Nil also for addresses that say nothing of where a client is: those of this machine and of private networks, from which
    /// proxies come that are not listed.
    init?(internet address: ClientAddress?) {
        guard let address, address.isPublic else { return nil }
        self.init(address)
    }

    private init(_ address: ClientAddress) {
        let bytes = address.bytes
        let place = bytes.count == 4 ? UInt16(bytes[3]) : UInt16(bytes[6]) << 8 | UInt16(bytes[7])
        self.init(prefix: NetworkPrefix(address), place: place, claims: [])
    }

    /// Nil where no proxy speaks for the client, and where it has no address of the internet.
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

    /// Reads what ``hex`` says; nil for anything else.
    init?(hex text: Substring) {
        guard let bytes = [UInt8](hex: text) else { return nil }
        switch bytes.count {
        case 0: self = .unreadable
        case 4:
            guard let address = ClientAddress(bytes: bytes) else { return nil }
            self.init(address)
        case 8:
            // A place has as many bytes again that nobody looks at.
            guard let address = ClientAddress(bytes: bytes + [UInt8](repeating: 0, count: 8)) else { return nil }
            self.init(address)
        default: return nil
        }
    }

    /// For another daemon, which bounds what networks bring as this one does: 4 bytes of IPv4, 8 of IPv6, none where unreadable.
    var hex: String {
        switch prefix.bytes.count {
        case 3: (prefix.bytes + [UInt8(truncatingIfNeeded: place)]).lowerHex
        case 6: (prefix.bytes + [UInt8(place >> 8), UInt8(truncatingIfNeeded: place)]).lowerHex
        default: ""
        }
    }
}

extension ClientNetwork: CustomStringConvertible, CustomReflectable {
    var description: String { "ClientNetwork" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
