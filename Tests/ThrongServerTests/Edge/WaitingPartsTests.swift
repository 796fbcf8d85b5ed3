import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Testing
import ThrongSchedule

@testable import ThrongServer

@Suite("Who brings more than may wait is cut off, and who asks for much leaves the round to others")
struct WaitingPartsTests {
    /// A connection whose requests are answered when the test says so.
    private final class Line {
        let channel = EmbeddedChannel()
        let router = Router()

        init() throws {
            try WaitingPartsTests.build(channel.pipeline.syncOperations, SocketEnd(), router)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        }

        /// Reads, as NIO does where the client has closed its end: whether anybody asked for it or not.
        func read(_ bytes: [UInt8]) {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
            channel.pipeline.fireChannelReadComplete()
        }

        /// Returns what went out since the last call.
        func said() throws -> String {
            var text = ""
            while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
            return text
        }

        /// Answers all that are answered one after another; how many they were, with the first.
        func answerAll() -> Int {
            var count = 0
            while router.isAsked {
                router.answer()
                count += 1
            }
            return count
        }
    }

    /// Takes one request after another.
    private final class Router: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private var context: ChannelHandlerContext?
        private(set) var isAsked = false
        private(set) var bodyBytes = 0
        private(set) var events = 0
        private(set) var errors = 0
        var reads = 0

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: break
            case .body(let bytes): bodyBytes += bytes.readableBytes
            case .end: isAsked = true
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { events += 1 }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors += 1 }

        func answer() {
            guard let context else { return }
            isAsked = false
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// Counts what is read and not dropped.
    private final class Reads: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let router: Router

        init(_ router: Router) { self.router = router }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            router.reads += 1
            context.fireChannelRead(data)
        }
    }

    private static func build(
        _ pipeline: ChannelPipeline.SynchronousOperations, _ socket: SocketEnd, _ router: Router
    ) throws {
        try pipeline.addHandler(socket)
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(HTTPChannel.decoder())
        try pipeline.addHandler(handler(socket, turns: nil))
        try pipeline.addHandler(router)
    }

    private static func handler(_ socket: SocketEnd, turns: LoopFairness?) -> BatchHandler {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let security = SecurityLog(logger)
        let source = ConnectionSource(.none, isSocket: false, warnings: ProxyWarnings(logger, security))
        return BatchHandler(
            ingestion: nil, queue: nil, socket: socket,
            source: source, origins: .everywhere, security: security,
            turns: turns)
    }

    private static func many(_ request: String) -> [UInt8] {
        let bytes = Array(request.utf8)
        return Array(repeatElement(bytes, count: (16 << 10) / bytes.count).joined())
    }

    @Test("all that one read brings is answered, however small requests are")
    func oneRead() throws {
        for request in [
            "GET / HTTP/1.1\r\nhost:x\r\n\r\n", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        ] {
            let (line, bytes) = (try Line(), Self.many(request))
            // What is read through TLS may be twice as much.
            line.read(bytes + bytes)
            #expect(line.answerAll() == 2 * (bytes.count / request.utf8.count) && line.channel.isActive)
            // Nothing waits any more, and as much may wait again.
            line.read(bytes)
            #expect(line.answerAll() == bytes.count / request.utf8.count)
            _ = try line.channel.finish()
        }
    }

    @Test("of requests by the megabyte those that may wait are answered, and the rest is not looked at")
    func cut() throws {
        let line = try Line()
        let request = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
        for _ in 0..<100 { line.read(Self.many(request)) }
        line.channel.pipeline.fireErrorCaught(HTTPParserError.invalidEOFState)
        // What the client says by closing comes after the answers.
        line.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(line.router.events == 0)
        let answered = line.answerAll()
        #expect(answered > 2000 && answered < 4096 && line.router.events == 1)
        // Of the rest nothing is said, and the connection ends.
        #expect(line.router.errors == 0 && !line.channel.isActive)
        _ = try line.channel.finish(acceptAlreadyClosed: true)
    }

    @Test("of long heads fewer wait, and of errors one")
    func long() throws {
        let line = try Line()
        let head = "GET / HTTP/1.1\r\nhost: x\r\na: \(String(repeating: "a", count: 7900))\r\n\r\n"
        for _ in 0..<1000 { line.read(Array(head.utf8)) }
        let answered = line.answerAll()
        #expect(answered > 200 && answered < 266 && !line.channel.isActive)
        _ = try line.channel.finish(acceptAlreadyClosed: true)
        let other = try Line()
        other.read(Self.many("GET / HTTP/1.1\r\nhost: x\r\n\r\n"))
        for _ in 0..<1000 { other.channel.pipeline.fireErrorCaught(HTTPParserError.unknown) }
        #expect(other.router.errors == 0)
        _ = other.answerAll()
        #expect(try other.said().ranges(of: #""error":"not_http""#).count == 1 && other.router.errors == 0)
        _ = try other.channel.finish(acceptAlreadyClosed: true)
    }

    @Test(
        "bytes that are no request get an answer that says so, and the connection ends",
        arguments: [
            "FOO / HTTP/1.1\r\nhost: x\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\nx y: z\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\na: \(String(repeating: "a", count: 100_000))\r\n\r\n",
        ])
    func noRequest(text: String) throws {
        let line = try Line()
        line.read(Array(text.utf8))
        let said = try line.said()
        #expect(said.hasPrefix("HTTP/1.1 400 ") && said.contains("connection: close") && said.contains("not_http"))
        #expect(line.router.errors == 0 && !line.router.isAsked)
        _ = try line.channel.finish(acceptAlreadyClosed: true)
    }

    @Test(
        "bytes behind a request are looked at once it is answered, and never if it ends its connection",
        arguments: [
            ("1.1", "", true), ("1.0", "connection: keep-alive\r\n", true), ("1.1", "connection: close\r\n", false),
            ("1.1", "Connection: Close\r\n", false), ("1.0", "", false),
            ("1.1", "Connection: Upgrade\r\nUpgrade: h2c\r\n", false),
        ])
    func behind(version: String, field: String, isLookedAt: Bool) throws {
        let request = Array("GET / HTTP/\(version)\r\nhost: x\r\n\(field)\r\n".utf8)
        for (more, isRequest) in [("FOO / HTTP/1.1\r\n\r\n", false), ("GET / HTTP/1.1\r\nhost: x\r\n\r\n", true)] {
            let (whole, cut) = (try Line(), try Line())
            whole.read(request + more.utf8)
            #expect(try whole.said().isEmpty && whole.router.isAsked)
            let count = whole.answerAll()
            #expect(count == (isLookedAt && isRequest ? 2 : 1))
            cut.read(request)
            _ = cut.answerAll()
            #expect(cut.channel.isActive == isLookedAt)
            if cut.channel.isActive { cut.read(Array(more.utf8)) }
            _ = cut.answerAll()
            let said = try whole.said()
            #expect(try cut.said() == said && said.hasPrefix("HTTP/1.1 200 "))
            #expect(said.contains("not_http") == (isLookedAt && !isRequest))
            #expect(isLookedAt || said.contains("connection: close\r\n"))
            #expect(whole.channel.isActive == (isLookedAt && isRequest))
            #expect(whole.router.errors + cut.router.errors == 0)
            for line in [whole, cut] { _ = try line.channel.finish(acceptAlreadyClosed: true) }
        }
    }

    @Test("who waits for it before sending a body is told to go on, by any route, but not by HTTP/1.0")
    func expecting() throws {
        for (version, answer) in [("1.1", "HTTP/1.1 100 Continue\r\n\r\n"), ("1.0", "")] {
            let line = try Line()
            let fields = "host: x\r\nexpect: 100-Continue\r\ncontent-length: 2"
            line.read(Array("POST /v1/preview HTTP/\(version)\r\n\(fields)\r\n\r\n".utf8))
            #expect(try line.said() == answer)
            line.read(Array("{}".utf8))
            #expect(line.answerAll() == 1 && line.router.bodyBytes == 2)
            _ = try line.channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("a request that is not whole where the room ends is not taken, and the connection ends after those before it")
    func partial() throws {
        let line = try Line()
        line.read(Array("GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
        line.read(Array("POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n".utf8))
        for _ in 0..<400 { line.read(Array(repeating: 0x20, count: 16 << 10)) }
        #expect(line.channel.isActive)
        #expect(line.answerAll() == 2 && line.router.bodyBytes == 0 && !line.channel.isActive)
        _ = try line.channel.finish(acceptAlreadyClosed: true)
    }

    @Test("a body that comes behind others and is as large as one may be is read to its end")
    func body() throws {
        let line = try Line()
        let size = 1_000_000
        line.read(Array("GET / HTTP/1.1\r\nhost:x\r\n\r\n".utf8))
        line.read(Array("POST /x HTTP/1.1\r\nhost:x\r\ncontent-length: \(size)\r\n\r\n".utf8))
        for start in stride(from: 0, to: size, by: 16 << 10) {
            line.read(Array(repeating: 0x20, count: min(16 << 10, size - start)))
        }
        #expect(line.answerAll() == 2 && line.router.bodyBytes == size)
        _ = try line.channel.finish()
    }

    @Test(
        "in one round each connection has one request taken, and all of them together sixteen more",
        .timeLimit(.minutes(40)))
    func round() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let all = LoopFairness.All()
        let loop = group.next()
        let taken = try await loop.submit {
            let turns = try #require(all.turns(of: loop))
            let further = (0..<40).filter { turns.allow(2 + $0 % 15) }
            return (further.count, (0..<1000).allSatisfy { _ in turns.allow(1) }, turns.allow(2))
        }.get()
        #expect(taken == (16, true, false))
        try await loop.submit {
            let turns = try #require(all.turns(of: loop))
            // One that is not there any more.
            turns.add(Self.handler(SocketEnd(), turns: turns))
        }.get()
        // The bell is heard with the next round.
        while try await !loop.submit({ try #require(all.turns(of: loop)).allow(2) }).get() {}
        try await group.shutdownGracefully()
    }

    @Test(
        "who resets the connection is forgotten, and who closes it has answers to all that waits",
        .timeLimit(.minutes(40)), arguments: [true, false])
    func ended(isReset: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (socket, made) = (SocketEnd(), AsyncStream<any Channel>.makeStream())
        let loop = group.next()
        let router = try await loop.submit { NIOLoopBound(Router(), eventLoop: loop) }.get()
        let listener = try await ServerBootstrap(group: loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.build(channel.pipeline.syncOperations, socket, router.value)
                    try channel.pipeline.syncOperations.addHandler(Reads(router.value), position: .after(socket))
                    made.continuation.yield(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let requests = Array(repeatElement(Self.many("GET / HTTP/1.1\r\nhost:x\r\n\r\n"), count: 3).joined())
        let client = try await onOwnThread {
            let client = try RawClient(port: port)
            try client.send(requests)
            return client
        }
        let channel = try #require(await made.stream.first { _ in true })
        while try await !loop.submit({ router.value.isAsked }).get() {}
        if isReset {
            client.vanish()
            try await channel.closeFuture.get()
            // One that was asked for, and one until it was clear that nobody is there.
            #expect(try await loop.submit { router.value.reads }.get() <= 2)
        } else {
            client.finish()
            // What it says by that comes after all requests.
            while try await loop.submit({ router.value.events }).get() == 0 {
                try await loop.submit { while router.value.isAsked { router.value.answer() } }.get()
            }
            try await channel.close()
            let answers = await onOwnThread { String(decoding: client.rest(), as: UTF8.self) }
            #expect(answers.components(separatedBy: "HTTP/1.1 200").count - 1 == 3 * ((16 << 10) / 26))
        }
        try await listener.close()
        try await group.shutdownGracefully()
    }
}
