internal import NIOCore
internal import ThrongWire

/// What comes before HTTP on each connection of a listener: a proxy's header, where proxies are listed, then TLS.
struct ConnectionEdge: Sendable {
    /// By what TLS is spoken; nil where it is not.
    let sessions: TLSSessions?
    let proxies: Proxies
    /// Who says in each request whose it is.
    let forwarders: Proxies
    /// Whether the listener is a Unix socket.
    let isSocket: Bool
    let complaints: ProxyComplaints
    let clock: UnixClock
    let security: SecurityLog

    /// Adds what does it to a pipeline that is empty; returns what knows where the connection comes from.
    func begin(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> ConnectionSource {
        let source = ConnectionSource(proxies, isSocket: isSocket, complaints: complaints)
        try pipeline.addHandler(source)
        if let sessions { try pipeline.addHandler(TLSStart(sessions, clock: clock)) }
        return source
    }
}
