internal import Glibc
internal import NIOCore

/// The pipeline's end at the socket: takes responses that are bytes already, and drops input that is not to be read.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class SocketEnd: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// True if the last answer is out, and the client has a moment to take it.
    private var isEnding = false
    /// True if further input is dropped. It is still read from the socket: a close with anything unread would destroy
    /// answers that the client has not got yet.
    var isDeaf = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// True if the client has reset the connection, so that nobody hears an answer. Earlier bytes may still come.
    var isReset: Bool {
        guard let provider = context?.channel as? any SocketOptionProvider else { return false }
        var state: UInt8?
        // The state is there at once, on the event loop.
        provider.getTCPInfo().assumeIsolated().whenSuccess { state = $0.tcpi_state }
        return state == UInt8(TCP_CLOSE)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDeaf { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isEnding { context.read() }
    }

    func send(_ bytes: ByteBuffer, isLast: Bool) {
        guard let context else { return }
        guard isLast else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [self] result in
            guard case .success = result, channel.isActive else { return channel.close(promise: nil) }
            end(channel)
        }
    }

    /// Closes the output, and drops the client's further input until it has heard that, or for ``patience``. A socket
    /// that is closed with anything unread resets the connection (RFC 9112, section 9.6).
    private func end(_ channel: any Channel) {
        (isDeaf, isEnding) = (true, true)
        channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context?.read()
    }

    private static let patience: TimeAmount = .seconds(1)
}
