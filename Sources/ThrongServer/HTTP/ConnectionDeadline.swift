internal import NIOCore
internal import NIOHTTP1

/// Closes a connection whose request takes too long, that is silent for too long, or whose place another needs.
///
/// The request's clock runs from the connection's start, or a later request's first bytes, and anew from a request's
/// head, to the request's end: a client that sends a byte now and then can't hold a connection for ever. The clock of
/// silence runs from the request's end.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ConnectionDeadline: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    struct Limits: Sendable {
        let request: TimeAmount
        let idle: TimeAmount
    }

    private let limits: Limits
    private let room: ConnectionRoom
    private let source: ConnectionSource
    private let security: SecurityLog
    private var place: ConnectionPlace?
    /// True if the place is one of the network that the connection comes from.
    private var isPlaced = false
    /// The time at which the connection is closed; it moves with every request, while the timer stays.
    private var due = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var isArriving = false
    /// True if the bytes that were read last were part of a request, as far as the decoder could tell.
    private var hasDecoded = false

    init(_ limits: Limits, in room: ConnectionRoom, from source: ConnectionSource, security: SecurityLog) {
        self.limits = limits
        self.room = room
        self.source = source
        self.security = security
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { start(context) } }

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
            // A proxy has named its client by now, and names no other later.
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
        if ServerCertificate.isFailedHandshake(error) { security.note(.handshake) }
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

    /// Sets the timer: no later than the shorter limit from now, so that a due time that moves is seen in time.
    private func schedule(_ channel: any Channel) {
        let next = min(due - .now(), min(limits.request, limits.idle))
        timer = channel.eventLoop.scheduleTask(in: next) { [self] in
            if due <= .now() { channel.close(promise: nil) } else { schedule(channel) }
        }
    }
}
