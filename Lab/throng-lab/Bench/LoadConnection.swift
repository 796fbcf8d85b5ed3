internal import NIOCore

/// One connection of a load: a request at a time, written as bytes that are ready but for their names.
///
/// Unchecked: a handler is confined to its channel's event loop, and so is its driver, which shares that loop.
final class LoadConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private weak var driver: LoadDriver?
    private var context: ChannelHandlerContext?
    private var buffer = ByteBuffer()
    private var reader = ResponseReader()
    /// The instant at which the request under way was due; nil while there is none. Unit: nanoseconds from the run's
    /// start.
    private(set) var due: Int64?

    init(driver: LoadDriver) { self.driver = driver }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends a batch. The connection must be idle.
    func send(_ number: UInt64, of requests: PreparedRequests, run: UInt64, due: Int64) {
        guard let context else { return }
        self.due = due
        buffer.clear()
        requests.write(number, run: run, into: &buffer)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        do {
            guard let response = try reader.read(&bytes) else { return }
            // An answer that nobody asked for, such as to a connection that waited for too long.
            guard let due else { return context.close(promise: nil) }
            self.due = nil
            driver?.answered(self, response, due: due)
            if !response.keepsAlive { context.close(promise: nil) }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        driver?.lost(self, due: due)
        due = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
