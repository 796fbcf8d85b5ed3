internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose request takes too long to arrive.
///
/// Hummingbird's idle timeout starts anew with each part, so a client that sends a byte now and then would hold a
/// connection for ever. This clock runs from the connection's start, or a later request's first bytes, and anew from a
/// request's head, to the request's end.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?
    /// Whether the bytes that were read last ended or continued a request, as far as the decoder could tell.
    private var hasDecoded = false

    init(limit: TimeAmount) { self.limit = limit }

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

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasDecoded = true
        switch unwrapInboundIn(data) {
        case .head: start(context)
        case .end: stop()
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Bytes that are no part of a request yet: another head has begun to arrive.
        if !hasDecoded, timer == nil { start(context) }
        hasDecoded = false
        context.fireChannelReadComplete()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    private func start(_ context: ChannelHandlerContext) {
        stop()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
}
