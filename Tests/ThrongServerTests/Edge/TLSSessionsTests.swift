import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import Synchronization
import Testing
import ThrongWire

@testable import ThrongServer

@Suite("TLS is spoken by what is in force, and no session outlives a window", .serialized)
struct TLSSessionsTests {
    /// Each time anew: a certificate begins when it is made.
    private static var now: UnixSeconds { UnixClock.system.now }

    /// A daemon's certificate, and another to take its place.
    private final class Town: Sendable {
        let made: MadeCertificates
        let certificates: Certificates

        init() throws {
            made = try MadeCertificates()
            try made.make("a")
            try made.make("b")
            let files = TLSFiles(certificate: made.path("a.crt"), key: made.path("a.key"))
            certificates = Certificates(files, clock: .system, logger: .silent)
            try certificates.load()
        }
    }

    /// Lets two ends of a connection shake hands; whether they came to an end.
    private static func shakeHands(_ server: NIOSSLContext, _ client: TLSConfiguration) throws -> Bool {
        let near = EmbeddedChannel(handler: NIOSSLServerHandler(context: server))
        let far = EmbeddedChannel(
            handler: try NIOSSLClientHandler(context: NIOSSLContext(configuration: client), serverHostname: nil))
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        // A refused handshake throws on the way; what counts is whether data goes through.
        _ = try? near.connect(to: address).wait()
        _ = try? far.connect(to: address).wait()
        far.writeAndFlush(ByteBuffer(string: "hello"), promise: nil)
        for _ in 0..<20 {
            while let bytes = try? far.readOutbound(as: ByteBuffer.self) { _ = try? near.writeInbound(bytes) }
            while let bytes = try? near.readOutbound(as: ByteBuffer.self) { _ = try? far.writeInbound(bytes) }
        }
        return (try? near.readInbound(as: ByteBuffer.self)) == ByteBuffer(string: "hello")
    }

    private static func client(
        _ least: TLSVersion, _ most: TLSVersion, suites: [NIOTLSCipher]? = nil
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = least
        configuration.maximumTLSVersion = most
        if let suites { configuration.cipherSuiteValues = suites }
        return configuration
    }

    @Test("TLS 1.0 and 1.1, static RSA and CBC are refused, which the library's defaults would take")
    func protocols() throws {
        let town = try Town()
        try town.made.make("r", key: ["rsa:2048"])
        let files = TLSFiles(certificate: town.made.path("r.crt"), key: town.made.path("r.key"))
        let ours = try ServerCertificate(try files.read(), of: files, now: Self.now).context(asksClients: false)
        let theirs = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))))
        let refused = [
            Self.client(.tlsv1, .tlsv1), Self.client(.tlsv11, .tlsv11),
            Self.client(.tlsv12, .tlsv12, suites: [.TLS_RSA_WITH_AES_128_GCM_SHA256]),
            Self.client(.tlsv12, .tlsv12, suites: [.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA]),
        ]
        for client in refused {
            #expect(try !Self.shakeHands(ours, client))
            #expect(try Self.shakeHands(theirs, client), "the control must be seen to take it")
        }
        for client in [
            Self.client(.tlsv12, .tlsv12, suites: [.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]),
            Self.client(.tlsv12, .tlsv12, suites: [.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256]),
            Self.client(.tlsv13, .tlsv13), Self.client(.tlsv12, .tlsv13),
        ] {
            #expect(try Self.shakeHands(ours, client))
        }
        // Keys are agreed on in a way that lasts, too, where the client can.
        var lasting = Self.client(.tlsv13, .tlsv13)
        lasting.curves = [.x25519_MLKEM768]
        #expect(try Self.shakeHands(ours, lasting))
        lasting.curves = [.x448]
        #expect((try? Self.shakeHands(ours, lasting)) != true, "the control: a curve that is not offered")
    }

    @Test("a context lasts until the first of all windows ends, however the lengths of windows lie to each other")
    func windows() throws {
        let town = try Town()
        let sessions = TLSSessions(
            town.certificates, rotations: [Rotation(seconds: 600), Rotation(seconds: 900)], asksClients: false)
        // 1800 is an end of both; windows of 600 end at 600 and 1200 behind it, those of 900 at 900.
        let first = UnixSeconds(1800 * 1_000_000)
        var contexts: [ObjectIdentifier] = []
        var kept: [NIOSSLContext] = []
        for second in stride(from: Int64(0), through: 1800, by: 50) {
            let context = try #require(try sessions.context(at: first + second))
            let again = try sessions.context(at: first + second)
            #expect(context === again)
            kept.append(context)
            if contexts.last != ObjectIdentifier(context) {
                contexts.append(ObjectIdentifier(context))
                #expect([0, 600, 900, 1200, 1800].contains(second))
            }
        }
        #expect(Set(contexts).count == 5)
    }

    @Test("a new certificate makes a new context; one that can't be used leaves what was in force")
    func reload() throws {
        let town = try Town()
        let sessions = TLSSessions(town.certificates, rotations: [.longest], asksClients: false)
        let now = Self.now
        let former = try #require(try sessions.context(at: now))
        town.certificates.reload()
        #expect(try sessions.context(at: now) === former, "nothing has changed")
        // As certbot leaves it for a moment: the certificate is new, the key is not yet.
        try town.made.write(try town.made.text("b.crt"), to: "a.crt")
        town.certificates.reload()
        #expect(try sessions.context(at: now) === former)
        try town.made.write(try town.made.text("b.key"), to: "a.key")
        town.certificates.reload()
        let latter = try #require(try sessions.context(at: now))
        #expect(latter !== former)
        #expect(try Self.shakeHands(latter, Self.client(.tlsv13, .tlsv13)))
    }

    @Test("connections of a window that is over are told to close, others are not; a proxy's stay")
    func ends() throws {
        final class Ear: ChannelInboundHandler, Sendable {
            typealias InboundIn = ByteBuffer
            let heard = Mutex(false)
            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if event is ChannelShouldQuiesceEvent { heard.withLock { $0 = true } }
            }
        }
        let town = try Town()
        for asksClients in [false, true] {
            let sessions = TLSSessions(
                town.certificates, rotations: [Rotation(seconds: 60)], asksClients: asksClients)
            let first = UnixSeconds(60 * 30_000_000)
            let ears = [Ear(), Ear(), Ear()]
            let channels = ears.map { EmbeddedChannel(handler: $0) }
            sessions.opened(channels[0], at: first)
            sessions.opened(channels[1], at: first + 59)
            sessions.endFormer(at: first + 59)
            #expect(!ears[0].heard.withLock { $0 })
            sessions.opened(channels[2], at: first + 60)
            sessions.endFormer(at: first + 60)
            #expect(
                ears.map { ear in ear.heard.withLock { $0 } }
                    == (asksClients ? [false, false, false] : [true, true, false]))
            for channel in channels { _ = try channel.finish() }
        }
    }
}
