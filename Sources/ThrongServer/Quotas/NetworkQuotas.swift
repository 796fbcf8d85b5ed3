internal import Synchronization
internal import ThrongCounting
internal import ThrongPlan

/// Bounds what one network brings, so that nobody is a crowd from one place.
///
/// A network is known by what the window's key makes of it, in memory alone; nothing of it goes to the disk, to PostgreSQL or into
/// a log.
final class NetworkQuotas: Sendable {
    private let tallies: Mutex<NetworkTallies>

    init(_ limits: NetworkTallies.Limits) { tallies = Mutex(NetworkTallies(limits: limits)) }

    /// Notes a batch that is about to be counted.
    ///
    /// - Parameters:
    ///   - network: nil where it is not known: nothing is bounded then.
    ///   - lifting: how many identifiers of one network lift floors; nil for all.
    func note(
        _ identifier: KeyedIdentifier, from network: ClientNetwork?, in window: WindowID, key: WindowKey, events: Int,
        lifting: Int? = nil, now: UnixSeconds
    ) -> NetworkTallies.Verdict {
        guard let network else { return .admitted(liftsFloors: true) }
        func source(_ network: ClientNetwork) -> NetworkTallies.Source {
            .init(network: network.prefix.keyed(with: key), place: network.place)
        }
        // A client that may be anywhere lifts no floor for which networks are told apart.
        let lifting = network.isUnreadable ? lifting.map { _ in 0 } : lifting
        let (from, claims) = (source(network), network.claims.map { source($0) })
        return tallies.withLock {
            $0.note(
                identifier, from: from, claiming: claims, in: window, events: events, lifting: lifting, now: now)
        }
    }

    /// Forgets windows of which no batch is accepted any more, but for what their largest networks brought.
    func takeEnded(overBy now: UnixSeconds) -> [NetworkTallies.Ended] {
        tallies.withLock { $0.takeEnded(overBy: now) }
    }
}
