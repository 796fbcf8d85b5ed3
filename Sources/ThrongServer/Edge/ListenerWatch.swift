internal import NIOCore

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
