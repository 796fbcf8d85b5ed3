internal import Glibc
internal import NIOCore

/// The pipeline's end at the socket: takes responses that are bytes already, and what is not to be read.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class SocketEnd: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// Whether what comes from now on is dropped. It is taken from the socket still: closed with anything unread, that would take
    /// answers with it which the client has not got yet.
    var isDeaf = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Whether the client has reset the connection, so that nobody hears an answer; what it had sent may be read still.
    var isReset: Bool {
        guard let provider = context?.channel as? any SocketOptionProvider else { return false }
        var state: UInt8?
        // On the event loop it is there at once.
        provider.getTCPInfo().assumeIsolated().whenSuccess { state = $0.tcpi_state }
        return state == UInt8(TCP_CLOSE)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDeaf { context.fireChannelRead(data) }
    }

    func send(_ bytes: ByteBuffer, isLast: Bool) {
        guard let context else { return }
        guard isLast else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in channel.close(promise: nil) }
    }
}
