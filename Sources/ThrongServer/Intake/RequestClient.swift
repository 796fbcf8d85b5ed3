/// Tells from which network a request comes, for what is bounded by networks.
struct RequestClient {
    let source: ConnectionSource
    /// Whose X-Forwarded-For is believed.
    let forwarders: Proxies

    /// Nil by a Unix socket, where a proxy does not say, and for addresses that are not the internet's.
    func network(of headers: RequestHeaders) -> NetworkPrefix? {
        NetworkPrefix(internet: source.client(forwarded: headers.forwarded, by: forwarders))
    }
}
