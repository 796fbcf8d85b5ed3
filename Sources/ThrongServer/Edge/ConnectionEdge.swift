internal import NIOCore
internal import ThrongWire

/// The layers below HTTP on each connection of a listener: a proxy's header, if proxies are listed, then TLS.
struct ConnectionEdge: Sendable {
    /// The TLS sessions; nil without TLS.
    let sessions: TLSSessions?
    let proxies: Proxies
    let forwarders: Proxies
    let isSocket: Bool
    let complaints: ProxyComplaints
    let clock: UnixClock
    let security: SecurityLog

    /// Adds the layers' handlers to an empty pipeline; returns the one that knows where the connection comes from.
    func begin(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> ConnectionSource {
        let source = ConnectionSource(proxies, isSocket: isSocket, complaints: complaints)
        try pipeline.addHandler(source)
        if let sessions { try pipeline.addHandler(TLSStart(sessions, clock: clock)) }
        return source
    }
}
