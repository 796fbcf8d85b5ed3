/// Tells the network that a request comes from, for bounds by network.
struct RequestClient {
    let source: ConnectionSource
    let forwarders: Proxies

    /// Returns the network of a request; nil if no address is known, or it is not the internet's.
    func network(of headers: RequestHeaders) -> ClientNetwork? {
        source.network(forwarded: headers.forwarded, by: forwarders)
    }

    /// Returns the prefix of any network, this machine's and private ones, too; unknown if no address is given.
    func prefix(of headers: RequestHeaders) -> NetworkPrefix {
        let client = source.client(forwarded: headers.forwarded, by: forwarders)
        return if case .at(let address) = client { NetworkPrefix(address) } else { .unknown }
    }
}
