internal import Synchronization
internal import ThrongWire

/// The number of values that each network has had evaluated in the current hour. It bounds guessing.
///
/// It is held in memory only, and does not outlive the hour.
/// - Cost: about 100 bytes per network, for ``mostNetworks`` at most.
final class EvaluationQuota: Sendable {
    private struct State {
        /// The current hour. Unit: hours since 1970.
        var hour: Int64 = 0
        /// The values of each network, with those that fill requests up. Unit: values.
        var counts: [NetworkPrefix: Int] = [:]
    }

    /// The number of networks that are told apart. Those that come later share the quota of one.
    static let mostNetworks = 65_536
    /// The length of an hour. Unit: seconds.
    private static let hour: Int64 = 3600

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: values that one network may have evaluated in an hour.
    init(limit: Int) { self.limit = limit }

    /// Notes a request; returns nil if it may be answered, and otherwise the seconds until the next hour.
    func refuse(_ count: Int, of network: NetworkPrefix, at now: UnixSeconds) -> Int? {
        state.withLock { state in
            let hour = now.flooredQuotient(by: Self.hour)
            if hour != state.hour { state = State(hour: hour) }
            let isKnown = state.counts[network] != nil || state.counts.count < Self.mostNetworks
            let network = isKnown ? network : .unknown
            guard state.counts[network, default: 0] + count <= limit else {
                return Int((hour + 1) * Self.hour - now.value)
            }
            state.counts[network, default: 0] += count
            return nil
        }
    }
}
