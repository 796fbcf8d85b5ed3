internal import Foundation
internal import NIOCore
internal import ThrongIngest
internal import ThrongWire

/// Prints as its type's name, so that no log holds it.
protocol Unlogged: CustomStringConvertible, CustomReflectable {}

extension Unlogged {
    var description: String { "\(Self.self)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The address that a connection comes from, for limits by address. It is held only in the memory of its connection.
struct ClientAddress: Hashable, Sendable, Unlogged {
    /// The address's bytes: 4 of IPv4, 16 of IPv6; an IPv4 address in one of IPv6 has 4.
    let bytes: [UInt8]

    /// Creates an address from its bytes; nil unless there are 4 or 16.
    init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.bytes = Array(bytes)
        case 16: self.bytes = Array(bytes.dropFirst(Self.translating.contains { bytes.starts(with: $0) } ? 12 : 0))
        default: return nil
        }
    }

    /// The prefixes ::ffff:0:0/96 and, of translators before machines that have IPv6 alone, 64:ff9b::/96. Source: RFC
    /// 4291, section 2.5.5.2; RFC 6052, section 2.1.
    private static let translating: [[UInt8]] = [
        Array(repeating: 0, count: 10) + [0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8),
    ]

    /// Reads "192.0.2.1" or "2001:db8::1"; nil for anything else.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// Creates the address of a socket; nil for a Unix socket, and if the connection is over already.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// Networks that nobody has for himself. Source: RFC 6890 and RFC 6598 (shared address space of carriers).
    private static let local = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        "::1", "fc00::/7", "fe80::/10",
    ].compactMap { AddressRange($0) }

    /// True if the address is one of the internet, not of this machine or of a private network.
    var isPublic: Bool { !Self.local.contains { $0.contains(self) } }
}

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

/// The addresses of a request's client according to proxies: lines of `X-Forwarded-For` and of `Forwarded`.
///
/// Only listed proxies are to be believed, and the lines are read from the end: what a client itself sends comes first.
///
/// Source: RFC 7239; `X-Forwarded-For` has no standard: proxies send addresses with ports, in brackets and in quotes.
struct ForwardedFor: Sendable, Hashable {
    /// The place of a request's client.
    enum Client: Hashable {
        case at(ClientAddress)
        /// No proxy speaks for it, and the connection has no address.
        case nobody
        case unreadable(Unreadable)

        /// The prefix of any network, this machine's and private ones, too; unknown if no address is given.
        var prefix: NetworkPrefix { if case .at(let address) = self { NetworkPrefix(address) } else { .unknown } }
    }

    /// The reason why the address of a listed proxy's client is not known.
    enum Unreadable: Hashable {
        /// It says nothing.
        case absent
        /// It does not know or does not tell: `unknown`, or a name that begins with `_`.
        case hidden
        /// Its word is no address.
        case malformed
        /// Its two headers name two clients: one of them may be the client's own.
        case contradictory([Client])
        /// The proxy's PROXY header names a client without an address.
        case unaddressed

        var words: String {
            switch self {
            case .absent: "neither X-Forwarded-For nor Forwarded"
            case .hidden: "a client that is not told: unknown, a name, or nothing"
            case .malformed: "what is no address"
            case .contradictory: "X-Forwarded-For and Forwarded that name two clients"
            case .unaddressed: "a header of the PROXY protocol for a client without an address"
            }
        }
    }

    var listed: [String] = []
    var standard: [String] = []

    /// Returns the last host that is none of these proxies; if all are, the first.
    func client(past proxies: Proxies) -> Client {
        let listed = Self.client(
            past: proxies, of: self.listed.flatMap { FieldSyntax.elements($0).map { Self.hop($0) } })
        let standard = Self.client(past: proxies, of: self.standard.flatMap { Self.hops(of: $0) })
        guard listed != .unreadable(.absent) else { return standard }
        guard standard != .unreadable(.absent), standard != listed else { return listed }
        return .unreadable(.contradictory([listed, standard]))
    }

    private static func client(past proxies: Proxies, of hops: [Client]) -> Client {
        let client = hops.last { hop in if case .at(let address) = hop { !proxies.contain(address) } else { true } }
        return client ?? hops.first ?? .unreadable(.absent)
    }

    private static func hops(of line: String) -> [Client] {
        // Nothing is certain behind the beginning of a quoted string that has no end.
        guard let elements = FieldSyntax.parts(of: line[...], at: ",") else { return [.unreadable(.malformed)] }
        return elements.filter { !$0.isEmpty }.map { named($0) }
    }

    /// Returns a host of `X-Forwarded-For`; some proxies write it as in `Forwarded`.
    private static func hop(_ element: Substring) -> Client {
        if element.utf8.contains(UInt8(ascii: "=")) { return named(element) }
        guard element.utf8.first == UInt8(ascii: "\"") else { return node(element) }
        return FieldSyntax.unquoted(element).map { node(FieldSyntax.trimmed($0[...])) } ?? .unreadable(.malformed)
    }

    /// Returns the host of an element that says `for=` among other things.
    private static func named(_ element: Substring) -> Client {
        guard let pairs = FieldSyntax.parts(of: element, at: ";") else { return .unreadable(.malformed) }
        var hop: Client?
        for pair in pairs where !pair.isEmpty {
            // An address of IPv6 ought to be quoted, and is not by all.
            guard let sign = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return .unreadable(.malformed) }
            let value = pair[pair.utf8.index(after: sign)...]
            guard pair[..<sign].lowercased() == "for" else {
                // A host with a port ought to be quoted, too.
                let isBare = FieldSyntax.isToken(pair[..<sign]) && !value.utf8.contains(UInt8(ascii: "\""))
                guard isBare || FieldSyntax.parameter(pair) != nil else { return .unreadable(.malformed) }
                continue
            }
            guard hop == nil else { return .unreadable(.malformed) }
            if value.utf8.first == UInt8(ascii: "\"") {
                guard let said = FieldSyntax.unquoted(value) else { return .unreadable(.malformed) }
                hop = node(FieldSyntax.trimmed(said[...]))
            } else {
                hop = node(value)
            }
        }
        return hop ?? .unreadable(.hidden)
    }

    /// Reads "192.0.2.1", "192.0.2.1:4711", "2001:db8::1", "[2001:db8::1]" and "[2001:db8::1]:4711", also with a zone.
    private static func node(_ text: Substring) -> Client {
        if text.utf8.first == UInt8(ascii: "_") || text.lowercased() == "unknown" { return .unreadable(.hidden) }
        if text.utf8.first == UInt8(ascii: "[") {
            let rest = text.dropFirst()
            guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")), isPort(rest[end...].dropFirst()) else {
                return .unreadable(.malformed)
            }
            return address(rest[..<end], ofSixteen: true)
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return address(text, ofSixteen: colons > 1)
        }
        return isPort(text[colon...]) ? address(text[..<colon], ofSixteen: false) : .unreadable(.malformed)
    }

    private static func address(_ text: Substring, ofSixteen: Bool) -> Client {
        // A zone names an interface of the proxy's machine.
        let end = ofSixteen ? text.utf8.firstIndex(of: UInt8(ascii: "%")) : nil
        let bare = String(text[..<(end ?? text.endIndex)])
        guard bare.utf8.contains(UInt8(ascii: ":")) == ofSixteen, let address = ClientAddress(bare) else {
            return .unreadable(.malformed)
        }
        return .at(address)
    }

    /// True if the text is empty, or a colon with a port or an obfuscated one.
    private static func isPort(_ text: Substring) -> Bool {
        guard let colon = text.utf8.first else { return true }
        let port = text.utf8.dropFirst()
        guard colon == UInt8(ascii: ":"), let first = port.first else { return false }
        if first == UInt8(ascii: "_") { return FieldSyntax.isToken(Substring(port)) }
        return port.count <= 5 && port.allSatisfy(\.isDigit) && Int(Substring(port)) ?? .max <= 65_535
    }
}

/// The proxies that name the clients of what they pass on: addresses, networks, and the Unix socket.
///
/// A proxy listed for the PROXY protocol has to send a header on each connection, so that nobody can leave it out.
/// Nobody who is not listed is believed.
package struct Proxies: Sendable, Hashable {
    private let networks: Set<AddressRange>
    let isSocketListed: Bool

    package static let none = Proxies(networks: [], isSocketListed: false)
}

extension Proxies {
    /// Reads "10.0.0.0/8 2001:db8::7 unix"; nil for anything else, and for addresses with bits behind their length.
    package init?(_ text: String) {
        var networks: Set<AddressRange> = []
        var isSocketListed = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            if word == "unix" {
                isSocketListed = true
                continue
            }
            guard let network = AddressRange(word) else { return nil }
            networks.insert(network)
        }
        guard isSocketListed || !networks.isEmpty else { return nil }
        self.init(networks: networks, isSocketListed: isSocketListed)
    }

    var areListed: Bool { isSocketListed || !networks.isEmpty }

    func contain(_ address: ClientAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// Returns the client of a request: the connection's other end, nil for a Unix socket, or the client that a listed
    /// proxy there names.
    func client(behind address: ClientAddress?, isSocket: Bool, forwarded: ForwardedFor) -> ForwardedFor.Client {
        guard address.map({ contain($0) }) ?? (isSocket && isSocketListed) else {
            return address.map { .at($0) } ?? .nobody
        }
        return forwarded.client(past: self)
    }
}
