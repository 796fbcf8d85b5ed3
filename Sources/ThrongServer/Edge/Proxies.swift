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
