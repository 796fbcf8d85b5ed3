internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import ThrongWire

/// By what the connections of one listener speak TLS, so that no session outlives a window.
///
/// A session that is resumed, by a ticket or by its number, tells that two connections are one device's, and so does a
/// connection that stays open: across a window's end either would link two identifiers. A context resumes its own sessions
/// only. So there is a new one once any purpose's window is over, and what began by the one before is closed
/// (``endFormer(at:)``).
final class TLSSessions: Sendable {
    private struct State {
        var context: NIOSSLContext?
        /// The certificate by which it was made.
        var certificate = 0
        /// The windows, one a rotation, in which it was made.
        var windows: [WindowNumber] = []
        /// Of the windows so far; grows with each end of one.
        var era = 0
        /// Up to which of them connections were closed.
        var closed = 0
        var open: [ObjectIdentifier: (channel: any Channel, era: Int)] = [:]
    }

    private let certificates: Certificates
    private let rotations: [Rotation]
    /// Whether only who has a certificate of the listed authorities is let in: proxies, whose connections are nobody's.
    private let asksClients: Bool
    private let state = Mutex(State())

    /// - Parameter rotations: of the purposes that are counted for here.
    init(_ certificates: Certificates, rotations: Set<Rotation>, asksClients: Bool) {
        self.certificates = certificates
        self.rotations = rotations.sorted()
        self.asksClients = asksClients
    }

    /// By what a connection speaks that begins now.
    ///
    /// - Throws: what BoringSSL does not take; the connection is nothing then, and no former context comes in.
    func context(at now: UnixSeconds) throws -> NIOSSLContext? {
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

    /// Has a connection closed once its window is over.
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

    /// Drops the context where a window has ended since.
    private func enter(_ now: UnixSeconds, _ state: inout State) {
        let windows = rotations.map { $0.window(at: now) }
        guard windows != state.windows else { return }
        state.windows = windows
        state.context = nil
        state.era += 1
    }
}
