internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan

/// Bounds the batches of one network, so that nobody can pose as a crowd from one place.
///
/// A network is known by its prefix keyed with the window's key, in memory only. It goes nowhere else.
final class NetworkQuotas: Sendable {
    private let tallies: Mutex<NetworkTallies>

    init(_ limits: NetworkTallies.Limits) { tallies = Mutex(NetworkTallies(limits: limits)) }

    /// Notes a batch that is about to be counted.
    ///
    /// - Parameter lifting: the number of identifiers of one network that lift floors; nil for all.
    func note(
        _ identifier: KeyedIdentifier, from network: ClientNetwork, in window: WindowID, key: WindowKey, events: Int,
        lifting: Int? = nil, now: UnixSeconds
    ) -> NetworkTallies.Verdict {
        func source(_ network: ClientNetwork) -> NetworkTallies.Source {
            .init(network: network.prefix.keyed(with: key), place: network.place)
        }
        // If networks are told apart for floors, a client of an unknown network lifts none.
        let lifting = network.isUnreadable ? lifting.map { _ in 0 } : lifting
        let (from, claims) = (source(network), network.claims.map { source($0) })
        return tallies.withLock {
            $0.note(identifier, from: from, claiming: claims, in: window, events: events, lifting: lifting, now: now)
        }
    }

    /// Forgets windows of which no batch is accepted any more; returns the amounts of their largest networks.
    func takeEnded(overBy now: UnixSeconds) -> [NetworkTallies.Ended] {
        tallies.withLock { $0.takeEnded(overBy: now) }
    }
}
