internal import Logging
internal import NIOCore
internal import Synchronization

/// The source of a connection: the other end, or, if that is a listed proxy, the client that its header names.
///
/// It leaves the pipeline once it knows, and holds the address, for limits by address, as long as the connection lasts.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ConnectionSource: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Stage {
        case untouched
        /// The proxy's header is on its way.
        case awaiting(ByteBuffer)
        case known
        /// The first bytes were no header: the connection is being closed.
        case refused
    }

    /// The client's address; nil for a Unix socket, if a proxy names none, and before the first bytes.
    private(set) var address: ClientAddress? {
        didSet { (prefix, network) = (NetworkPrefix(address), ClientNetwork(internet: address)) }
    }
    /// The address's network: computed once, and asked for with every request.
    private(set) var prefix = NetworkPrefix.unknown
    private var network: ClientNetwork?

    /// True if a proxy speaks for a client whose address it does not give.
    private var isUnaddressed = false

    private let proxies: Proxies
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
                leave(context)
            }
        case .awaiting(var bytes):
            stage = .untouched
            bytes.writeImmutableBuffer(unwrapInboundIn(data))
            take(bytes, context)
        }
    }

    /// Returns the client of a request. Unreadable headers of listed proxies are logged once.
    func client(forwarded: ForwardedFor, by forwarders: Proxies) -> ForwardedFor.Client {
        let client =
            isUnaddressed
            ? .unreadable(.unaddressed)
            : forwarders.client(behind: address, isSocket: isSocket, forwarded: forwarded)
        if case .unreadable(let why) = client { complaints.say(why) }
        return client
    }

    /// Returns the client's network; nil if it is not known, and for addresses that are not the internet's.
    func network(forwarded: ForwardedFor, by forwarders: Proxies) -> ClientNetwork? {
        // If no proxy is believed, the client is at the connection's other end.
        if !isUnaddressed, !forwarders.areListed { return network }
        return ClientNetwork(of: client(forwarded: forwarded, by: forwarders))
    }

    /// Leaves the pipeline: no more bytes pass by here.
    private func leave(_ context: ChannelHandlerContext) {
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        do throws(ProxyHeader.Problem) {
            guard let header = try ProxyHeader(bytes.readableBytesView) else { return stage = .awaiting(bytes) }
            address = header.client
            isUnaddressed = header.client == nil && !header.isOwn
            stage = .known
            var rest = bytes
            rest.moveReaderIndex(forwardBy: header.length)
            if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
            leave(context)
        } catch {
            stage = .refused
            complaints.say(error)
            context.close(promise: nil)
        }
    }
}

/// Logs each kind of mistake of listed proxies once: they make it on every connection.
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
        guard isNew(word) else { return }
        logger.error(
            """
            a listed proxy's connection was closed: each has to begin with a header of the PROXY protocol, version 2 (haproxy: \
            send-proxy-v2)
            """,
            metadata: ["found": "\(word)"])
    }

    func say(_ problem: ForwardedFor.Unreadable) {
        security.note(.unreadableClient)
        guard isNew(problem.words) else { return }
        logger.error(
            """
            a listed proxy does not say where a request's client is: all such requests share the bound of one network, and lift \
            no floor where networks are bounded there. Have the proxy set one of X-Forwarded-For and Forwarded, and remove the other
            """,
            metadata: ["found": "\(problem.words)"])
    }

    private func isNew(_ word: String) -> Bool { said.withLock { $0.insert(word).inserted } }
}
