internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Closes a connection whose request takes too long to arrive, or that has nothing to say for too long, or less than others that
/// want its place.
///
/// The request's clock runs from the connection's start, or a later request's first bytes, and anew from a request's
/// head, to the request's end: a client that sends a byte now and then can't hold a connection for ever. From then on
/// the other clock runs.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ConnectionDeadline: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// How long a connection may take.
    struct Limits: Sendable {
        /// For a request to arrive.
        let request: TimeAmount
        /// From one request to the next.
        let idle: TimeAmount
    }

    private let limits: Limits
    private let room: ConnectionRoom
    private let source: ConnectionSource
    private let security: SecurityLog
    private var place: ConnectionPlace?
    /// Whether the place is one of the network that the connection comes from.
    private var isPlaced = false
    /// The connection is closed then; moved with every request, while the timer stays what it is.
    private var due = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var isArriving = false
    /// Whether the bytes that were read last ended or continued a request, as far as the decoder could tell.
    private var hasDecoded = false

    init(_ limits: Limits, in room: ConnectionRoom, from source: ConnectionSource, security: SecurityLog) {
        self.limits = limits
        self.room = room
        self.source = source
        self.security = security
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasDecoded = true
        switch unwrapInboundIn(data) {
        case .head:
            begin()
            // By now a proxy has said for whom it connected, and says nothing else later.
            if !isPlaced, source.prefix != .unknown, let place {
                isPlaced = true
                if place.network != source.prefix { takePlace(of: source.prefix, context.channel) }
            }
        case .end:
            isArriving = false
            let now = NIODeadline.now()
            due = now + limits.idle
            place?.hear(at: now)
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Bytes that are no part of a request yet: another head has begun to arrive.
        if !hasDecoded, !isArriving { begin() }
        hasDecoded = false
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.handshakeFailed = error { security.note(.handshake) }
        if error is HTTPParserError { security.note(.malformed) }
        context.fireErrorCaught(error)
    }

    private func begin() {
        isArriving = true
        due = .now() + limits.request
    }

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        begin()
        takePlace(of: NetworkPrefix(ClientAddress(context.channel.remoteAddress)), context.channel)
        schedule(context.channel)
    }

    /// Takes a place among those of a network, in the place of the one that it has.
    private func takePlace(of network: NetworkPrefix, _ channel: any Channel) {
        if let place { room.leave(place) }
        let place = ConnectionPlace(network) { channel.close(promise: nil) }
        self.place = place
        guard let leaving = room.enter(place) else { return }
        security.note(.place)
        leaving.giveUp()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        if let place { room.leave(place) }
        place = nil
    }

    /// The timer is never later than the shorter limit from now, so whatever is due by then is seen in time.
    private func schedule(_ channel: any Channel) {
        let next = min(due - .now(), min(limits.request, limits.idle))
        timer = channel.eventLoop.scheduleTask(in: next) { [self] in
            if due <= .now() { channel.close(promise: nil) } else { schedule(channel) }
        }
    }
}
