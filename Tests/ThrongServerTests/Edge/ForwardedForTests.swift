import Foundation
import HTTPTypes
import Logging
import NIOHTTP1
import Synchronization
import Testing
import ThrongIngest

@testable import ThrongServer

@Suite(
    "A listed proxy says where a client is, in any way that proxies write it; what can't be read is nobody's address")
struct ForwardedForTests {
    private let listed: Proxies
    private let real = ForwardedFor.Client.at(Self.address("198.51.100.7"))
    private let six = ForwardedFor.Client.at(Self.address("2001:db8:2::7"))

    init() throws { listed = try #require(Proxies("unix 10.0.0.0/8 2001:db8:ffff::/48")) }

    private static func address(_ text: String) -> ClientAddress {
        guard let address = ClientAddress(text) else { preconditionFailure("it is an address") }
        return address
    }

    /// The place of a request's client, by its headers.
    private func client(_ lines: (String, String)...) -> ForwardedFor.Client { client(lines) }

    private func client(_ lines: [(String, String)]) -> ForwardedFor.Client {
        listed.client(behind: nil, isSocket: true, forwarded: RequestHeaders(HTTPHeaders(lines)).forwarded)
    }

    @Test(
        "an address with a port, in brackets, in quotes, with a zone, or as Forwarded has it",
        arguments: [
            "198.51.100.7", "198.51.100.7:44321", "198.51.100.7:0", "\"198.51.100.7\"", "\"198.51.100.7:80\"",
            "\"198.51.100.7:_port\"", " 198.51.100.7\t", "198.51.100.7,", ",,198.51.100.7 , ,", "::ffff:198.51.100.7",
            "[::ffff:198.51.100.7]:9", "[::FFFF:c633:6407]", "for=198.51.100.7;proto=https", "FOR=198.51.100.7",
            "for=\"198.51.100.7:4711\"", "proto=http; For=198.51.100.7 ;by=203.0.113.43", "for=198.51.100.7:80",
            "192.0.2.1, 198.51.100.7", "unknown, 198.51.100.7", "nonsense,198.51.100.7", "_x, \"198.51.100.7\"",
            "198.51.100.7, 10.1.2.3", "198.51.100.7, 10.1.2.3:80, [2001:db8:ffff::1]:90", "1.2.3.4,\t198.51.100.7:1",
            "for=192.0.2.43, for=\"198.51.100.7\";host=\"shop.example:80\"", "\", 198.51.100.7",
            "by=[2001:db8::1]:80;for=198.51.100.7;host=shop.example:8080;proto=https", "64:ff9b::198.51.100.7",
        ])
    func addresses(value: String) {
        #expect(client(("X-Forwarded-For", value)) == real, "X-Forwarded-For: \(value)")
    }

    @Test(
        "the same for IPv6",
        arguments: [
            "2001:db8:2::7", "[2001:db8:2::7]", "[2001:db8:2::7]:1234", "\"[2001:db8:2::7]:1234\"", "\"2001:db8:2::7\"",
            "2001:DB8:2:0:0:0:0:7", "[2001:db8:2::7%eth0]:80", "2001:db8:2::7%1", "for=\"[2001:db8:2::7]:4711\"",
            "For=\"[2001:db8:2::7]\";proto=https", "for=[2001:db8:2::7]", "for=\"\\[2001:db8:2::7\\]\"",
        ])
    func sixes(value: String) {
        #expect(client(("x-forwarded-for", value)) == six, "X-Forwarded-For: \(value)")
        guard value.lowercased().hasPrefix("for=") else { return }
        #expect(client(("Forwarded", value)) == six, "Forwarded: \(value)")
    }

    @Test("several lines are one list, in either header")
    func lines() {
        #expect(client(("X-Forwarded-For", "192.0.2.1"), ("x-forwarded-for", "198.51.100.7:5")) == real)
        #expect(
            client(("X-Forwarded-For", "198.51.100.7"), ("x-forwarded-for", "10.0.0.1"), ("x-forwarded-for", ""))
                == real)
        #expect(client(("Forwarded", "for=192.0.2.1"), ("forwarded", "for=\"198.51.100.7\";proto=https")) == real)
        #expect(client(("Forwarded", "for=\"198.51.100.7\", for=10.0.0.9"), ("forwarded", "for=10.0.0.1")) == real)
        #expect(
            client(("Forwarded", "for=\""), ("forwarded", "for=198.51.100.7")) == real, "the last line is the proxy's")
        #expect(client(("Forwarded", "host=\"a,for=1.2.3.4\";for=198.51.100.7;by=\"x\\\",for=4.3.2.1\"")) == real)
    }

    @Test("where all are proxies, the first is the client")
    func proxiesOnly() {
        #expect(client(("X-Forwarded-For", "10.0.0.1:99, 10.0.0.2")) == .at(Self.address("10.0.0.1")))
    }

    @Test(
        "whatever else is no address, and is not skipped for one that the client itself may have said",
        arguments: [
            "unknown", "UNKNOWN", "_hidden", "for=unknown", "for=_x", "for=\"_gazonk\"", "proto=https", "", " ", ",",
            "-",
            "localhost", "shop.example", "198.51.100", "198.51.100.7.8", "198.51.100.256", "198.51.100.7:",
            "198.51.100.7:x",
            "198.51.100.7:65536", "198.51.100.7:80:80", "198.51.100.7 80", "[198.51.100.7]", "[2001:db8:2::7",
            "2001:db8:2::7]",
            "[2001:db8:2::7]x", "[2001:db8:2::7]:", "[2001:db8:2::7]:99999", "2001:db8:2::g", "[]", "\"", "\"\"",
            "\"198.51.100.7", "198.51.100.7\"", "\"198.51.100.7\"x", "for=", "for", "for=\"198.51.100.7",
            "=198.51.100.7",
            "for=198.51.100.7;for=198.51.100.7", "for=1.2.3.4;for=198.51.100.7", "for=198.51.100.7;x",
            "198.51.100.7;proto=https",
            "0x1.2.3.4", "198.51.100.07", "3325256711", "%00", "198.51.100.7%eth0", "\u{0661}.2.3.4",
        ])
    func unreadable(value: String) {
        for lines in [[("X-Forwarded-For", "203.0.113.9, \(value)")], [("x-forwarded-for", value)]] {
            // An empty element is none: then the client says where it is, and there is no proxy that would.
            if lines[0].1.hasPrefix("203"), FieldSyntax.elements(value).isEmpty { continue }
            guard case .unreadable = client(lines) else {
                Issue.record("\(lines) is read")
                continue
            }
        }
        guard value.contains("=") else { return }
        guard case .unreadable = client(("Forwarded", "for=203.0.113.9, \(value)")) else {
            Issue.record("Forwarded: \(value) is read")
            return
        }
    }

    @Test("a header that the proxy does not set is no choice of the client's: two that disagree are nobody's address")
    func contradictions() {
        let honest = ("X-Forwarded-For", "192.0.2.1, 198.51.100.7")
        #expect(client(honest, ("Forwarded", "for=198.51.100.7")) == real, "they agree")
        for forged in ["for=203.0.113.9", "for=unknown", "for=\"", "nonsense"] {
            guard case .unreadable(.contradictory(let clients)) = client(honest, ("Forwarded", forged)) else {
                Issue.record("\(forged) is believed, or not noticed")
                continue
            }
            #expect(clients.first == real)
            #expect(ClientNetwork(of: .unreadable(.contradictory(clients)))?.isUnreadable == true)
        }
        #expect(client(honest, ("Forwarded", "")) == real && client(honest, ("Forwarded", " , ")) == real)
    }

    @Test(
        "whatever a client writes, what its proxy adds decides: it is read, or nothing is, and never the client's word")
    func anything() {
        let pieces = [
            "for=", "\"", "[", "]", ":", ";", ",", "=", "_", " ", "unknown", "203.0.113.9", "2001:db8::9", "\\", "by=",
            "host=\"",
            "%", "10.0.0.1", "\t", "80", "é",
        ]
        var generator = SystemRandomNumberGenerator()
        var readable = 0
        for _ in 0..<20_000 {
            let words = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            let own = words.joined()
            #expect(client(("X-Forwarded-For", own + ", 198.51.100.7:80")) == real, "\(own)")
            #expect(client(("Forwarded", own), ("Forwarded", "for=198.51.100.7")) == real, "\(own)")
            let found = client(
                (
                    "Forwarded",
                    own
                        + ", for=\"198.51.100.7:80\";host=\"\(own.replacing("\\", with: "").replacing("\"", with: ""))\""
                ))
            if found == real {
                readable += 1
            } else if case .unreadable = found {
                continue
            } else {
                Issue.record("\(own) makes another address")
            }
        }
        #expect(readable > 100, "control: \(readable) are read")
    }

    @Test("who is not listed is not looked at, and a socket where nobody is listed has no address")
    func strangers() throws {
        let forwarded = RequestHeaders(HTTPHeaders([("X-Forwarded-For", "203.0.113.9")])).forwarded
        let peer = Self.address("198.51.100.7")
        #expect(listed.client(behind: peer, isSocket: false, forwarded: forwarded) == real)
        #expect(Proxies.none.client(behind: nil, isSocket: true, forwarded: forwarded) == .nobody)
        let proxy = Self.address("10.9.9.9")
        #expect(listed.client(behind: proxy, isSocket: false, forwarded: forwarded) == .at(Self.address("203.0.113.9")))
    }

    @Test("a network goes to another daemon with its place in it, and comes back as it was")
    func handedOn() {
        for text in ["198.51.100.7", "2001:db8:2:f00d::7"] {
            let network = ClientNetwork(internet: ClientAddress(text))
            #expect(network != nil && network.flatMap { ClientNetwork(hex: $0.hex[...]) } == network)
        }
        #expect(ClientNetwork(hex: ClientNetwork.unreadable.hex[...]) == .unreadable)
        for text in ["00", "0011", "001122", "00112233445566", "zz", "0"] {
            #expect(ClientNetwork(hex: text[...]) == nil)
        }
        let (one, other) = (
            ClientNetwork(internet: ClientAddress("198.51.100.7")),
            ClientNetwork(internet: ClientAddress("198.51.100.8"))
        )
        #expect(one?.prefix == other?.prefix && one?.place != other?.place)
    }

    // MARK: What it is for

    /// The header values that a case file's lines become.
    private static let lines = [
        "198.51.100.7", "198.51.100.7:44321", "[2001:db8:2::7]:1234", "2001:db8:2::7", "\"198.51.100.7\"",
        "for=198.51.100.7;proto=https", "for=\"[2001:db8:2::7]:4711\"",
    ]

    @Test("with a bound of two, the third and fourth identifier of one address are refused, however a proxy writes it")
    func bounded() throws {
        // Those of unreadable lines count, too, and lift no floor.
        for line in Self.lines + ["unknown", "", "nonsense", "_x"] {
            for name in ["X-Forwarded-For", "Forwarded"] {
                let house = try IngestionHouse(quotas: .init(identifiers: 2, events: nil))
                let network = ClientNetwork(of: client((name, line)))
                let refused = try (0..<4).map { number in
                    do {
                        _ = try house.send("\(number)", fromNetwork: network)
                        return false
                    } catch let error as IntakeError {
                        return error.code == "network_quota"
                    }
                }
                #expect(refused == [false, false, true, true], "\(name): \(line)")
                try house.end()
            }
        }
    }

    @Test("of whom a listed proxy does not say where they are, none lifts a floor where networks are bounded")
    func floors() throws {
        for (most, devices) in [(5, 0), (nil, 19)] as [(Int?, Int64)] {
            let house = try IngestionHouse(floorPerNetwork: most)
            for number in 0..<19 { _ = try house.send("\(number)", fromNetwork: ClientNetwork(of: client())) }
            let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
            #expect(flush.distinct.map(\.delta).max() ?? 0 == devices)
            #expect(flush.coverage.filter { $0.kind == .accepted }.map(\.events) == [19], "all add to values")
            try house.end()
        }
    }

    @Test("it is said once of each kind, as an error, and no address with it")
    func said() {
        let kept = KeptLines()
        let logger = Logger(label: "test") { _ in kept }
        let source = ConnectionSource(
            .none, forwarders: listed, isSocket: true, warnings: ProxyWarnings(logger, SecurityLog(.silent)))
        for value in ["unknown", "_x", "nonsense", "198.51.100.7:x", "", "unknown"] {
            let headers = RequestHeaders(HTTPHeaders([("X-Forwarded-For", value)]))
            _ = source.client(forwarded: headers.forwarded)
        }
        #expect(kept.lines.withLock { $0.count } == 3)
        #expect(kept.lines.withLock { $0.allSatisfy { $0.hasPrefix("error ") && !$0.contains("198.51") } })
    }

    /// Keeps what is logged.
    private final class KeptLines: LogHandler, Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
