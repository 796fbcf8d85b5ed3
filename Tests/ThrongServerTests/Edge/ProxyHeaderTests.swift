import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import ThrongServer

@Suite("A proxy's header is read as the protocol has it, and whoever must send one can't leave it out")
struct ProxyHeaderTests {
    /// What PyPI's proxy-protocol 0.11.3 writes: LOCAL, unknown, IPv4, IPv6, IPv4 in IPv6, a Unix socket; and whom it means.
    static let written: [(text: String, client: String?)] = [
        ("0d0a0d0a000d0a515549540a20000000", nil),
        ("0d0a0d0a000d0a515549540a21000000", nil),
        ("0d0a0d0a000d0a515549540a2111000ccb00714dc0000201c82201bb", "203.0.113.77"),
        (
            "0d0a0d0a000d0a515549540a2121002420010db800000000000000000000007720010db8000000000000000000000001c82201bb",
            "2001:db8::77"
        ),
        (
            "0d0a0d0a000d0a515549540a2121002400000000000000000000ffffcb00714d00000000000000000000000000000001c82201bb",
            "203.0.113.77"
        ),
        ("0d0a0d0a000d0a515549540a213100d8" + String(repeating: "2f61", count: 108), nil),
    ]

    static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8).map { $0 < 0x60 ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func read(_ bytes: [UInt8]) -> Result<ProxyHeader?, ProxyHeader.Problem> {
        Result { () throws(ProxyHeader.Problem) in try ProxyHeader(ByteBuffer(bytes: bytes).readableBytesView) }
    }

    @Test("what another program writes is read, whatever follows, and nothing is said before all of it came")
    func written() throws {
        for (text, client) in Self.written {
            let bytes = Self.bytes(text)
            for rest in [[], [0x16, 3, 1], Array("GET / HTTP/1.1\r\n".utf8)] as [[UInt8]] {
                let header = try #require(try Self.read(bytes + rest).get())
                #expect(header.length == bytes.count && header.client == client.flatMap { ClientAddress($0) })
            }
            for count in 0..<bytes.count { #expect(try Self.read(Array(bytes.prefix(count))).get() == nil) }
        }
        // More than the addresses is passed over: here 3 bytes of a TLV.
        var longer = Self.bytes(Self.written[2].text) + [4, 0, 0]
        longer[15] += 3
        let header = try #require(try Self.read(longer).get())
        #expect(header.client == ClientAddress("203.0.113.77") && header.length == longer.count)
    }

    @Test(
        "version 1, other versions, commands and families, short addresses and long headers are refused, each by its name"
    )
    func refused() {
        func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
            var bytes = Self.bytes(Self.written[2].text)
            bytes[place] = value
            return bytes
        }
        func problem(_ bytes: [UInt8]) -> ProxyHeader.Problem? {
            guard case .failure(let problem) = Self.read(bytes) else { return nil }
            return problem
        }
        #expect(problem(changed(15, 12)) == nil, "the control")
        #expect(problem(Array("PROXY TCP4 203.0.113.77 192.0.2.1 51234 443\r\n".utf8)) == .firstVersion)
        for text in ["GET / HTTP/1.1\r\n", "POST /v1/batches", "\u{16}\u{3}\u{1}", "\r\n\r\nx", "PROXZ ", "PO"] {
            #expect(problem(Array(text.utf8)) == .missing, "\(text)")
        }
        for version: UInt8 in [0x11, 0x31, 0x01, 0xF1, 0x22, 0x2F] {
            #expect(problem(changed(12, version)) == .malformed)
        }
        for family: UInt8 in [0x41, 0xF1, 0x13, 0x1F] { #expect(problem(changed(13, family)) == .malformed) }
        // What LOCAL says of addresses is passed over.
        var local = changed(12, 0x20)
        local[13] = 0xFF
        #expect(problem(local) == nil)
        #expect(problem(changed(15, 11)) == .malformed, "IPv4 takes 12 bytes")
        #expect(problem(changed(13, 0x21)) == .malformed, "IPv6 takes 36 bytes")
        #expect(problem(changed(14, 0x20)) == .tooLong(limit: 4096))
    }

    @Test("no bytes crash it: what it reads lies within what came")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        var read = 0
        for round in 0..<100_000 {
            var bytes = Self.bytes(Self.written[round % Self.written.count].text)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 12..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &generator)))
            if case .success(let header?) = Self.read(bytes) {
                #expect(header.length <= bytes.count)
                read += 1
            }
        }
        #expect(read > 1000)
    }

    // MARK: Who has to send one

    private static func channel(
        from peer: String, _ proxies: Proxies, isSocket: Bool = false
    ) throws -> (EmbeddedChannel, ConnectionSource) {
        let source = ConnectionSource(
            proxies, isSocket: isSocket, warnings: ProxyWarnings(.silent, SecurityLog(.silent)))
        let channel = EmbeddedChannel(handler: source)
        let address = try SocketAddress(ipAddress: peer, port: 4711)
        try channel.connect(to: address).wait()
        channel.remoteAddress = isSocket ? try SocketAddress(unixDomainSocketPath: "") : address
        return (channel, source)
    }

    @Test(
        "a listed proxy's client is known in however many pieces its header comes, and what follows goes on untouched")
    func listed() throws {
        let header = Self.bytes(Self.written[2].text)
        let proxies = try #require(Proxies("192.0.2.0/24 unix"))
        for isSocket in [false, true] {
            for size in [1, 5, header.count, 1000] {
                let (channel, source) = try Self.channel(from: "192.0.2.7", proxies, isSocket: isSocket)
                let all = header + Array("GET /".utf8)
                for start in stride(from: 0, to: all.count, by: size) {
                    try channel.writeInbound(ByteBuffer(bytes: all[start..<min(start + size, all.count)]))
                }
                var seen = ""
                while let part: ByteBuffer = try channel.readInbound() { seen += String(buffer: part) }
                #expect(seen == "GET /" && source.address == ClientAddress("203.0.113.77") && channel.isActive)
            }
        }
    }

    @Test("a proxy that speaks for a client without an address is not taken for one that speaks for itself")
    func unaddressed() throws {
        let proxies = try #require(Proxies("192.0.2.0/24"))
        for (place, client) in [
            (0, .nobody), (1, .unreadable(.unaddressed)), (5, .unreadable(.unaddressed)),
            (2, .at(try #require(ClientAddress("203.0.113.77")))),
        ] as [(Int, ForwardedFor.Client)] {
            let (channel, source) = try Self.channel(from: "192.0.2.7", proxies)
            try channel.writeInbound(ByteBuffer(bytes: Self.bytes(Self.written[place].text)))
            #expect(source.client(forwarded: ForwardedFor()) == client)
        }
    }

    @Test("a listed proxy without a header is closed, and nothing of it goes on; nobody else's header is believed")
    func skipped() throws {
        let request = ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")
        let proxies = try #require(Proxies("192.0.2.7"))
        let (closed, _) = try Self.channel(from: "192.0.2.7", proxies)
        try closed.writeInbound(request)
        #expect(try closed.readInbound(as: ByteBuffer.self) == nil && !closed.isActive)
        // The same address written as one of IPv6 is the same proxy.
        let (mapped, _) = try Self.channel(from: "::ffff:192.0.2.7", proxies)
        try mapped.writeInbound(request)
        #expect(!mapped.isActive)
        let (other, source) = try Self.channel(from: "192.0.2.8", proxies)
        let header = ByteBuffer(bytes: Self.bytes(Self.written[2].text))
        try other.writeInbound(header)
        #expect(try other.readInbound(as: ByteBuffer.self) == header && source.address == ClientAddress("192.0.2.8"))
        let (socket, _) = try Self.channel(from: "192.0.2.7", proxies, isSocket: true)
        try socket.writeInbound(request)
        #expect(try socket.readInbound(as: ByteBuffer.self) == request)
    }

    @Test("lists hold addresses, networks and the socket; a slip of the pen is refused")
    func lists() throws {
        for text in [
            "", "10.0.0.0/33", "10.0.0.1/8", "proxy.example", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "Unix", "/",
        ] {
            #expect(Proxies(text) == nil, "\(text)")
        }
        let all = try #require(Proxies("10.0.0.0/8, 2001:db8::/33 203.0.113.77 ::ffff:198.51.100.1"))
        for (text, isIn) in [
            ("10.255.0.1", true), ("11.0.0.1", false), ("2001:db8:7fff::1", true), ("2001:db8:8000::1", false),
            ("203.0.113.77", true), ("203.0.113.78", false), ("198.51.100.1", true), ("::ffff:10.0.0.1", true),
        ] {
            #expect(all.contain(try #require(ClientAddress(text))) == isIn, "\(text)")
        }
        #expect(!all.isSocketListed && !Proxies.none.areListed)
    }
}
