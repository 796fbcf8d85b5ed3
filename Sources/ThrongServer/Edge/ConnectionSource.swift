internal import Foundation
internal import Logging
internal import NIOCore
internal import Synchronization
internal import ThrongWire

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

    private let (proxies, forwarders): (Proxies, Proxies)
    private let isSocket: Bool
    private let warnings: ProxyWarnings
    private var stage = Stage.untouched

    init(_ proxies: Proxies, forwarders: Proxies = .none, isSocket: Bool, warnings: ProxyWarnings) {
        (self.proxies, self.forwarders) = (proxies, forwarders)
        (self.isSocket, self.warnings) = (isSocket, warnings)
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
    func client(forwarded: ForwardedFor) -> ForwardedFor.Client {
        let client =
            isUnaddressed
            ? .unreadable(.unaddressed) : forwarders.client(behind: address, isSocket: isSocket, forwarded: forwarded)
        if case .unreadable(let why) = client { warnings.say(why) }
        return client
    }

    /// Returns the network of a request; nil if no address is known, or it is not the internet's.
    func network(forwarded: ForwardedFor) -> ClientNetwork? {
        // If no proxy is believed, the client is at the connection's other end.
        if !isUnaddressed, !forwarders.areListed { return network }
        return ClientNetwork(of: client(forwarded: forwarded))
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
            warnings.say(error)
            context.close(promise: nil)
        }
    }
}

/// Logs each kind of mistake of listed proxies once: they make it on every connection.
final class ProxyWarnings: Sendable {
    private let logger: Logger
    private let security: SecurityLog
    private let said = Mutex<Set<String>>([])

    init(_ logger: Logger, _ security: SecurityLog) { (self.logger, self.security) = (logger, security) }

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
            """, metadata: ["found": "\(word)"])
    }

    func say(_ problem: ForwardedFor.Unreadable) {
        security.note(.unreadableClient)
        guard isNew(problem.words) else { return }
        logger.error(
            """
            a listed proxy does not say where a request's client is: all such requests share the bound of one network, and lift \
            no floor where networks are bounded there. Have the proxy set one of X-Forwarded-For and Forwarded, and remove the other
            """, metadata: ["found": "\(problem.words)"])
    }

    private func isNew(_ word: String) -> Bool { said.withLock { $0.insert(word).inserted } }
}

/// The layers below HTTP on each connection of a listener: a proxy's header, if proxies are listed, then TLS.
struct ConnectionEdge: Sendable {
    /// The TLS sessions; nil without TLS.
    let sessions: TLSSessions?
    let proxies: Proxies
    let forwarders: Proxies
    let isSocket: Bool
    let warnings: ProxyWarnings
    let clock: UnixClock
    let security: SecurityLog

    /// Adds the layers' handlers to an empty pipeline; returns the one that knows where the connection comes from.
    func begin(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> ConnectionSource {
        let source = ConnectionSource(proxies, forwarders: forwarders, isSocket: isSocket, warnings: warnings)
        try pipeline.addHandler(source)
        if let sessions { try pipeline.addHandler(TLSStart(sessions, clock: clock)) }
        return source
    }
}

/// The header that a proxy sends before the bytes of a connection that it passes on.
///
///     0   12 bytes  0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A
///     12  1 byte    version 2 in the upper half; command in the lower: 0 LOCAL, the proxy's own; 1 PROXY
///     13  1 byte    family in the upper half: 1 IPv4, 2 IPv6, 3 Unix, 0 unknown; transport in the lower: 1 stream,
///                   2 datagram
///     14  2 bytes   length of what follows, big-endian
///     16            addresses of source and destination, their ports, and more that is not read
///
/// Source: the PROXY protocol, versions 1 and 2 (haproxy, proxy-protocol.txt), section 2.2.
struct ProxyHeader: Equatable {
    /// The client that the proxy speaks for; nil if it speaks for itself, or does not know.
    let client: ClientAddress?
    /// True if the proxy speaks for itself: LOCAL.
    let isOwn: Bool
    /// The length of the whole header. Unit: bytes.
    let length: Int

    /// The reason why the bytes are no such header.
    enum Problem: Error, Equatable {
        /// Something else: HTTP or TLS without a header.
        case missing
        /// Version 1, a line of text.
        case firstVersion
        /// Version, command, family or lengths are none that the protocol has.
        case malformed
        /// More follows than anybody needs. Unit: bytes.
        case tooLong(limit: Int)
    }

    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let fixed = 16
    /// The longest header that is taken. Proxies add some hundreds of bytes to the addresses. Unit: bytes.
    private static let largest = 4096

    /// Reads the header with which bytes begin; nil while more of it has to come.
    ///
    /// - Throws: as soon as the bytes can't become a header.
    init?(_ bytes: ByteBufferView) throws(Problem) {
        guard bytes.prefix(12).elementsEqual(Self.signature.prefix(bytes.count)) else {
            guard bytes.prefix(6).elementsEqual("PROXY ".utf8.prefix(bytes.count)) else { throw .missing }
            guard bytes.count < 6 else { throw .firstVersion }
            return nil
        }
        guard bytes.count >= Self.fixed else { return nil }
        let fields = Array(bytes.dropFirst(12).prefix(4))
        let (version, command, family, transport) = (fields[0] >> 4, fields[0] & 0xF, fields[1] >> 4, fields[1] & 0xF)
        guard version == 2, command <= 1 else { throw .malformed }
        // The addresses of a LOCAL header are ignored.
        let isProxied = command == 1
        isOwn = !isProxied
        guard !isProxied || family <= 3 && transport <= 2 else { throw .malformed }
        let rest = Int(fields[2]) << 8 | Int(fields[3])
        length = Self.fixed + rest
        guard length <= Self.largest else { throw .tooLong(limit: Self.largest) }
        // Addresses of source and destination, and two ports.
        let size = family == 1 ? 4 : 16
        let isClient = isProxied && transport == 1 && (family == 1 || family == 2)
        if isClient, rest < 2 * size + 4 { throw .malformed }
        guard bytes.count >= length else { return nil }
        client = isClient ? ClientAddress(bytes: bytes.dropFirst(Self.fixed).prefix(size)) : nil
    }
}

/// Makes a listener that could not accept a connection rest, for longer each time, and tells the operator. NIO would
/// try again at once, as the connection is still there.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ListenerWatch: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = any Channel

    private let security: SecurityLog
    private var failures = 0

    /// The shortest rest. Unit: milliseconds.
    private static let shortest: Int64 = 5
    private static let longest: Int64 = 1000

    private init(_ security: SecurityLog) { self.security = security }

    /// Watches a listener from now on; a preferred one may have the last descriptors.
    static func watch(_ listener: any Channel, isPreferred: Bool, security: SecurityLog) async {
        do {
            try await listener.eventLoop.submit {
                try listener.pipeline.syncOperations.addHandler(ListenerWatch(security), position: .first)
                if isPreferred { OpenFiles.prefer(listener) }
            }.get()
        } catch {
            // It was closed meanwhile, as the daemon stops.
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        failures = 0
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        security.note(.untaken)
        failures += 1
        let rest = min(Self.shortest << min(failures, 10), Self.longest)
        let listener = context.channel
        _ = listener.setOption(.autoRead, value: false)
        // A listener that was closed meanwhile needs no options.
        listener.eventLoop.scheduleTask(in: .milliseconds(rest)) { _ = listener.setOption(.autoRead, value: true) }
    }
}

/// The file of a Unix socket that clients reach the daemon by.
struct SocketFile {
    let path: String

    /// The file's mode: whoever may write may connect, the owner and the folder's group, which the proxy belongs to.
    private static let mode: mode_t = 0o660
    /// The longest path that the system has room for, without the final zero. Unit: bytes.
    static let longestPath = 107

    /// Returns a socket that listens here for a moment. A file that an earlier daemon left behind is deleted.
    ///
    /// - Parameter refused: makes an error of the reason why nothing can listen here.
    func listener<Refusal: Error>(_ refused: (String) -> Refusal) throws(Refusal) -> Int32 {
        func failed() -> Refusal { refused(String(cString: strerror(errno))) }
        func open() throws(Refusal) -> Int32 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw failed() }
            return descriptor
        }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw refused("a file that is no socket lies there; move it away")
            }
            let probe = try open()
            defer { close(probe) }
            if call(probe, connect) { throw refused("something listens there already") }
            guard errno == ECONNREFUSED else { throw failed() }
            unlink(path)
        }
        let listener = try open()
        guard call(listener, bind), listen(listener, 1) == 0 else {
            let refusal = failed()
            close(listener)
            throw refusal
        }
        return listener
    }

    func admitGroup() { chmod(path, Self.mode) }

    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    }

    private func call(_ descriptor: Int32, _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.longestPath)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
