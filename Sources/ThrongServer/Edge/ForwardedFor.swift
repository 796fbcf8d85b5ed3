internal import ThrongWire

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
