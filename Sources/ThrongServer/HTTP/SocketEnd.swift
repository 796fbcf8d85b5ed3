internal import NIOCore

/// The pipeline's end at the socket: takes responses that are bytes already.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class SocketEnd: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send(_ bytes: ByteBuffer, isLast: Bool) {
        guard let context else { return }
        guard isLast else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in channel.close(promise: nil) }
    }
}
