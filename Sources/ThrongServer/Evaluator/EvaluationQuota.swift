internal import Synchronization
internal import ThrongWire

/// How many values a network has had evaluated in the hour that runs: who guesses has to ask, and can't ask often.
///
/// In memory only, and nothing of it outlives the hour.
/// - Cost: about 100 bytes a network, of ``mostNetworks`` at most.
final class EvaluationQuota: Sendable {
    private struct State {
        /// Hours since 1970.
        var hour: Int64 = 0
        /// Unit: values, those that fill requests up among them.
        var counts: [NetworkPrefix: Int] = [:]
    }

    /// How many networks are told apart. Those that come later share what one may have.
    static let mostNetworks = 65_536
    /// Unit: seconds.
    private static let hour: Int64 = 3600

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: values that one network may have evaluated in an hour.
    init(limit: Int) { self.limit = limit }

    /// Notes a request; returns nil where it may be answered, and otherwise in how many seconds the next hour begins.
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
