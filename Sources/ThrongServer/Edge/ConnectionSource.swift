internal import Logging
internal import NIOCore
internal import Synchronization

/// Knows where a connection comes from: from the network's other end, or, where that is a listed proxy, from what it says
/// before all else.
///
/// It stays in the pipeline for as long as the connection lasts, and holds the address for limits by address.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ConnectionSource: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Stage {
        case untouched
        /// The proxy's header is on its way.
        case awaiting(ByteBuffer)
        case known
        /// What came was no header: the connection is being closed.
        case refused
    }

    /// Where the client is; nil by a Unix socket, where a proxy speaks for itself or does not know, and before the first bytes.
    private(set) var address: ClientAddress?

    private let proxies: Proxies
    /// Whether this listener is a Unix socket.
    private let isSocket: Bool
    private let complaints: ProxyComplaints
    private var stage = Stage.untouched

    init(_ proxies: Proxies, isSocket: Bool, complaints: ProxyComplaints) {
        self.proxies = proxies
        self.isSocket = isSocket
        self.complaints = complaints
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch stage {
        case .known: context.fireChannelRead(data)
        case .refused: break
        case .untouched:
            let peer = ClientAddress(context.channel.remoteAddress)
            if isSocket ? proxies.isSocketListed : peer.map({ proxies.contain($0) }) ?? proxies.areListed {
                take(unwrapInboundIn(data), context)
            } else {
                address = peer
                stage = .known
                context.fireChannelRead(data)
            }
        case .awaiting(var bytes):
            stage = .untouched
            bytes.writeImmutableBuffer(unwrapInboundIn(data))
            take(bytes, context)
        }
    }

    /// Where the client of a request is.
    ///
    /// - Parameters:
    ///   - forwarded: the addresses of `X-Forwarded-For`, in their order.
    ///   - forwarders: who is believed; nobody else is.
    /// - Returns: the last address that is none of theirs; nil where nobody says, or what is no address.
    func client(forwarded: [String], by forwarders: Proxies) -> ClientAddress? {
        forwarders.client(behind: address, isSocket: isSocket, forwarded: forwarded)
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        do throws(ProxyHeader.Problem) {
            guard let header = try ProxyHeader(bytes.readableBytesView) else { return stage = .awaiting(bytes) }
            address = header.client
            stage = .known
            var rest = bytes
            rest.moveReaderIndex(forwardBy: header.length)
            if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
        } catch {
            stage = .refused
            complaints.say(error)
            context.close(promise: nil)
        }
    }
}

/// Says once of each kind what listed proxies do wrong: they do it on every connection.
final class ProxyComplaints: Sendable {
    private let logger: Logger
    private let security: SecurityLog
    private let said = Mutex<Set<String>>([])

    init(_ logger: Logger, _ security: SecurityLog) {
        self.logger = logger
        self.security = security
    }

    func say(_ problem: ProxyHeader.Problem) {
        security.note(.proxyHeader)
        let word =
            switch problem {
            case .missing: "nothing of it came first"
            case .firstVersion: "it was version 1"
            case .malformed: "it was malformed"
            case .tooLong(let limit): "it was longer than \(limit) bytes"
            }
        guard said.withLock({ $0.insert(word).inserted }) else { return }
        logger.error(
            """
            a listed proxy's connection was closed: each has to begin with a header of the PROXY protocol, version 2 (haproxy: \
            send-proxy-v2)
            """,
            metadata: ["found": "\(word)"])
    }
}
