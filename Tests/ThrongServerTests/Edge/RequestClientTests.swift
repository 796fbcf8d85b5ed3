import Logging
import Testing
import ThrongIngest

@testable import ThrongServer

@Suite("A client's network is what the connection or a listed proxy says, and nobody else")
struct RequestClientTests {
    private static func networks(_ texts: [String]) -> [NetworkPrefix?] {
        texts.map { ClientNetwork(internet: ClientAddress($0))?.prefix }
    }

    @Test("256 addresses of IPv4 are one network, and a /48 of IPv6")
    func prefixes() {
        for (same, other) in [
            (["203.0.113.0", "203.0.113.255", "::ffff:203.0.113.9", "64:ff9b::cb00:7107"], "64:ff9b::203.0.112.255"),
            (["2001:db8:5eed::1", "2001:db8:5eed:ffff:ffff:ffff:ffff:ffff"], "2001:db8:5eee::1"),
        ] {
            let networks = Self.networks(same)
            #expect(networks.allSatisfy { $0 != nil && $0 == networks[0] })
            #expect(networks[0] != Self.networks([other])[0])
        }
    }

    @Test(
        "addresses of this machine and of private networks are nobody's network",
        arguments: [
            "127.0.0.1", "127.255.255.255", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
            "100.127.255.255", "169.254.1.1", "0.0.0.0", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1",
            "::ffff:10.0.0.1", "64:ff9b::10.0.0.1",
        ])
    func local(text: String) { #expect(Self.networks([text]) == [nil]) }

    @Test(
        "those beside them are the internet's",
        arguments: [
            "126.255.255.255", "128.0.0.1", "11.0.0.1", "172.15.255.255", "172.32.0.1", "192.167.255.255",
            "100.63.255.255", "100.128.0.1", "::2", "fe00::1", "fec0::1", "2000::1",
        ])
    func global(text: String) { #expect(Self.networks([text])[0] != nil) }

    @Test("a window's key makes another number of a network than another key, and none that an identifier can be")
    func keyed() {
        let (first, second) = (WindowKey.random(), WindowKey.random())
        let network = NetworkPrefix(ClientAddress("203.0.113.7"))
        #expect(network.keyed(with: first) == NetworkPrefix(ClientAddress("203.0.113.8")).keyed(with: first))
        #expect(network.keyed(with: first) != network.keyed(with: second))
        #expect("\(network)" == "NetworkPrefix")
    }
}
