internal import NIOCore
internal import ThrongWire

/// Begins TLS with a connection's first bytes. A silent connection takes no memory for it, and nobody resumes a session
/// of a window that has ended since they connected.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class TLSStart: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let sessions: TLSSessions
    private let clock: UnixClock

    init(_ sessions: TLSSessions, clock: UnixClock) {
        self.sessions = sessions
        self.clock = clock
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let pipeline = context.pipeline.syncOperations
        do {
            let now = clock.now
            guard let tls = try sessions.context(at: now) else { return context.close(promise: nil) }
            sessions.opened(context.channel, at: now)
            try pipeline.addHandler(tls.handler, position: .after(self))
        } catch {
            // A connection without a context of its own is closed: there is no other to fall back to.
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }
}
