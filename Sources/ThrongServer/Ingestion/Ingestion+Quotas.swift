internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan

extension Ingestion {
    /// Notes a batch of a network.
    ///
    /// - Parameter network: the client's network; nil if it is not known: nothing is bounded then.
    /// - Returns: true if the batch's identifier lifts floors.
    func note(
        _ incoming: IncomingBatch, _ identifier: KeyedIdentifier, key: WindowKey, from network: ClientNetwork?
    ) throws(IntakeError) -> Bool {
        // Backends send for many from one place, and are known otherwise.
        guard let network, !incoming.isBackend else { return !incoming.isBot }
        let window = incoming.bucketed.window
        let verdict = quotas.note(
            identifier, from: network, in: window, key: key,
            events: incoming.bucketed.events.count, lifting: incoming.floorPerNetwork, now: clock.now)
        switch verdict {
        case .admitted(let liftsFloors): return liftsFloors && !incoming.isBot
        case .refused(let retrySeconds):
            // A batch that was counted gets its answer again, or its client would send the events in another one.
            if state.withLock({ $0.hasCounted(incoming.bucketed) }) { return true }
            let next = window.rotation.start(of: WindowNumber(window.number.value + 1))
            throw .networkQuota(retrySeconds: Int(min(max(min(next - clock.now, retrySeconds), 5), 86_400)))
        }
    }

    /// Forgets networks of windows that are over; notes the share of the largest ones, if that isolates nobody.
    func noteNetworks(overBy now: UnixSeconds) {
        for ended in quotas.takeEnded(overBy: now) {
            guard let threshold = intake.largestThreshold(of: ended.window.app),
                let share = NetworkShare(ended.largest, of: ended.all, threshold: threshold)
            else { continue }
            state.withLock { $0.note(share, of: ended.window) }
        }
    }
}

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
    func takeEnded(overBy now: UnixSeconds) -> [NetworkTallies.Ended] { tallies.withLock { $0.takeEnded(overBy: now) } }
}
