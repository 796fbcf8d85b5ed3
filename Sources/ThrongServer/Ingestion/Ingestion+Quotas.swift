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
