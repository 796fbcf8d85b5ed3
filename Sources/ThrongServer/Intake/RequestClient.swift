/// Tells from which network a request comes, for what is bounded by networks.
struct RequestClient {
    let source: ConnectionSource
    /// The proxies whose X-Forwarded-For and Forwarded are believed.
    let forwarders: Proxies

    /// Nil by a Unix socket where nobody speaks for clients, and for addresses that are not the internet's.
    func network(of headers: RequestHeaders) -> ClientNetwork? {
        source.network(forwarded: headers.forwarded, by: forwarders)
    }

    /// Any network, this machine's and private ones, too; unknown where nobody says.
    func prefix(of headers: RequestHeaders) -> NetworkPrefix {
        let client = source.client(forwarded: headers.forwarded, by: forwarders)
        return if case .at(let address) = client { NetworkPrefix(address) } else { .unknown }
    }
}
