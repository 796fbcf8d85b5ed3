/// The proxies that name the clients of what they pass on: addresses, networks, and the Unix socket.
///
/// A proxy listed for the PROXY protocol has to send a header on each connection, so that nobody can leave it out.
/// Nobody who is not listed is believed.
package struct Proxies: Sendable, Hashable {
    private struct Network: Hashable {
        let first: ClientAddress
        let bits: Int

        func contains(_ address: ClientAddress) -> Bool {
            address.bytes.count == first.bytes.count
                && (0..<bits).allSatisfy { bit in
                    (address.bytes[bit / 8] ^ first.bytes[bit / 8]) & 0x80 >> UInt8(bit % 8) == 0
                }
        }
    }

    private let networks: Set<Network>
    let isSocketListed: Bool

    package static let none = Proxies(networks: [], isSocketListed: false)

    private init(networks: Set<Network>, isSocketListed: Bool) {
        self.networks = networks
        self.isSocketListed = isSocketListed
    }

    /// Reads "10.0.0.0/8 2001:db8::7 unix"; nil for anything else, and for addresses with bits behind their length.
    package init?(_ text: String) {
        var networks: Set<Network> = []
        var isSocketListed = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            if word == "unix" {
                isSocketListed = true
                continue
            }
            let parts = word.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let first = ClientAddress(String(parts[0])) else { return nil }
            let most = first.bytes.count * 8
            let bits = parts.count == 2 ? Int(parts[1]) ?? -1 : most
            guard (0...most).contains(bits),
                (bits..<most).allSatisfy({ first.bytes[$0 / 8] & 0x80 >> UInt8($0 % 8) == 0 })
            else { return nil }
            networks.insert(Network(first: first, bits: bits))
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
