internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongWire

/// The TLS sessions of one listener. No session outlives a window.
///
/// A session that is resumed, by a ticket or by its number, tells that two connections are one device's, and so does a
/// connection that stays open. Across a window's end either would link two identifiers. A context resumes its own
/// sessions only. So each end of any purpose's window brings a new context, and connections of the former one are
/// closed (``endFormer(at:)``).
final class TLSSessions: Sendable {
    private struct State {
        var context: TLSContext?
        var certificate = 0
        var windows: [WindowNumber] = []
        /// The number of the current windows; grows with each end of one.
        var era = 0
        /// The era up to which connections were closed.
        var closed = 0
        var open: [ObjectIdentifier: (channel: any Channel, era: Int)] = [:]
    }

    private let certificates: Certificates
    private let rotations: [Rotation]
    /// True if only clients with a certificate of the listed authorities are let in: proxies, whose connections are no
    /// device's.
    private let asksClients: Bool
    private let state = Mutex(State())

    /// - Parameter rotations: the rotations of the purposes that are counted here.
    init(_ certificates: Certificates, rotations: Set<Rotation>, asksClients: Bool) {
        self.certificates = certificates
        self.rotations = rotations.sorted()
        self.asksClients = asksClients
    }

    /// Returns the context for a connection that begins now; nil without a certificate. Errors end the connection.
    func context(at now: UnixSeconds) throws -> TLSContext? {
        guard let inForce = certificates.inForce else { return nil }
        return try state.withLock { state in
            enter(now, &state)
            if let context = state.context, state.certificate == inForce.number { return context }
            let context = try inForce.certificate.context(asksClients: asksClients)
            state.context = context
            state.certificate = inForce.number
            return context
        }
    }

    /// Registers a connection, to be closed once its window is over.
    func opened(_ channel: any Channel, at now: UnixSeconds) {
        guard !asksClients else { return }
        let key = ObjectIdentifier(channel)
        state.withLock { state in
            enter(now, &state)
            state.open[key] = (channel, state.era)
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(key) }
    }

    private func closed(_ key: ObjectIdentifier) { state.withLock { _ = $0.open.removeValue(forKey: key) } }

    /// Closes the connections of windows that are over: those that are idle at once, others after their answer.
    func endFormer(at now: UnixSeconds) {
        let former = state.withLock { state -> [any Channel] in
            enter(now, &state)
            guard state.closed < state.era else { return [] }
            state.closed = state.era
            let former = state.open.filter { $0.value.era < state.era }
            for key in former.keys { state.open.removeValue(forKey: key) }
            return former.values.map { $0.channel }
        }
        for channel in former { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func enter(_ now: UnixSeconds, _ state: inout State) {
        let windows = rotations.map { $0.window(at: now) }
        guard windows != state.windows else { return }
        state.windows = windows
        state.context = nil
        state.era += 1
    }
}

/// Begins TLS with a connection's first bytes. A silent connection takes no memory for it, and nobody resumes a session
/// of a window that has ended since they connected.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class TLSStart: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let sessions: TLSSessions
    private let clock: UnixClock

    init(_ sessions: TLSSessions, clock: UnixClock) { (self.sessions, self.clock) = (sessions, clock) }

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

/// Makes browsers use https only, for a year; for other names under this one only where the operator promises it.
///
/// Source: RFC 6797, sections 6.1.2 and 7.1: on answers over TLS, and on no others.
struct StrictTransport: RouterMiddleware {
    let isForSubdomains: Bool

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = "max-age=31536000" + (isForSubdomains ? "; includeSubDomains" : "")
        return response
    }
}
