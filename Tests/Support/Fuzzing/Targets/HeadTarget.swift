import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import ThrongServer

/// Requests as they come from the socket, up to where routes begin: however the bytes are cut, the same requests get the same
/// answers, in their order.
struct HeadTarget: FuzzTarget {
    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let whole = try Self.answers(to: [bytes])
        let middle = bytes.count / 2
        let halves = try Self.answers(to: [Array(bytes[..<middle]), Array(bytes[middle...])])
        try FuzzFinding.check(whole == halves, .twoReadings(what: "requests in two parts"))
        if bytes.count <= 512 {
            let single = try Self.answers(to: bytes.map { [$0] })
            try FuzzFinding.check(whole == single, .twoReadings(what: "requests byte by byte"))
        }
    }

    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    /// What goes out.
    private static func answers(to pieces: [[UInt8]]) throws(FuzzFinding) -> [UInt8] {
        do {
            let channel = EmbeddedChannel()
            let pipeline = channel.pipeline.syncOperations
            let security = SecurityLog(Self.logger)
            let source = ConnectionSource(.none, isSocket: false, warnings: ProxyWarnings(Self.logger, security))
            let socket = SocketEnd()
            try pipeline.addHandler(socket)
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTPChannel.decoder())
            try pipeline.addHandler(
                ConnectionDeadline(
                    .init(request: .hours(1), idle: .hours(1)), in: ConnectionRoom(places: 4), from: source,
                    security: security))
            try pipeline.addHandler(
                BatchHandler(
                    ingestion: nil, queue: nil, socket: socket,
                    source: source, origins: .everywhere, security: security,
                    turns: nil))
            try pipeline.addHandler(Responder())
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
            for piece in pieces where channel.isActive {
                channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
                channel.pipeline.fireChannelReadComplete()
                channel.embeddedEventLoop.run()
            }
            var out: [UInt8] = []
            while let part = try channel.readOutbound(as: ByteBuffer.self) { out += part.readableBytesView }
            // What a request leaves open is closed with the connection.
            _ = try? channel.finish(acceptAlreadyClosed: true)
            return out
        } catch {
            throw .mismatch(what: "a channel")
        }
    }

    /// Answers each request with what it saw of it, and closes at an error, as the router does.
    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private var said = ""
        private var isKept = true
        private var isOver = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isOver else { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                said = "\(head.method) \(head.uri) \(head.headers.count) "
                isKept = head.isKeepAlive
            case .body(let bytes): said += String(decoding: bytes.readableBytesView, as: Unicode.ASCII.self)
            case .end:
                isOver = !isKept
                var headers = HTTPHeaders([("content-length", "\(said.utf8.count)")])
                if !isKept { headers.add(name: "connection", value: "close") }
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: said)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                if !isKept { context.close(promise: nil) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
