internal import ThrongPlan

/// Two buckets that a network, or a place in it, has filled lately. They leak at a steady rate: a full one is empty after an hour.
///
/// A place may bring as much as is left of its network's bucket, and a few more. One place alone fills half of the
/// bucket; two fill a third each, and something is left for other places.
///
/// Source: Choudhury and Hahne 1998, "Dynamic queue length thresholds for shared-memory packet switches", with α = 1.
struct BroughtLately: Sendable, BitwiseCopyable {
    /// The new identifiers and the events of one batch.
    struct Amount {
        /// Unit: new identifiers.
        let identifiers: Int
        let events: Int
    }

    fileprivate var identifiers = 0.0
    fileprivate var events = 0.0
    /// Unit: seconds since 1970.
    private var at: Int64 = 0

    /// The time in which a full bucket empties. Unit: seconds.
    static let emptying = 3600.0
    /// A household's share, which a place may bring as long as its network's bucket has room. Unit: identifiers, events.
    fileprivate static let (fewIdentifiers, fewEvents) = (16, 10_000)

    fileprivate mutating func pass(to now: UnixSeconds, _ limits: NetworkTallies.Limits) {
        let hours = Double(max(now.value - at, 0)) / Self.emptying
        identifiers = max(identifiers - hours * Double(limits.identifiers ?? 0), 0)
        events = max(events - hours * Double(limits.events ?? 0), 0)
        at = max(at, now.value)
    }

    mutating func add(_ brought: Amount, _ limits: NetworkTallies.Limits, now: UnixSeconds) {
        pass(to: now, limits)
        identifiers += Double(brought.identifiers)
        events += Double(brought.events)
    }
}

extension BroughtLately.Amount {
    /// Returns the time until so much may come from a place in a network; 0 if it may now. Unit: seconds.
    func seconds(
        beside network: BroughtLately, _ place: BroughtLately, _ limits: NetworkTallies.Limits, now: UnixSeconds
    ) -> Int64 {
        var (network, place) = (network, place)
        network.pass(to: now, limits)
        place.pass(to: now, limits)
        func wait(_ brought: Int, _ ofNetwork: Double, _ ofPlace: Double, _ limit: Int?, few: Int) -> Double {
            guard let limit, brought > 0 else { return 0 }
            let (most, sum) = (Double(limit), ofNetwork + Double(brought))
            // Both empty at the same pace.
            let excess = max(sum - most, (sum + ofPlace - most - Double(few)) / 2)
            return excess > 0 ? excess / most * BroughtLately.emptying : 0
        }
        let seconds = max(
            wait(
                identifiers, network.identifiers, place.identifiers, limits.identifiers,
                few: BroughtLately.fewIdentifiers),
            wait(events, network.events, place.events, limits.events, few: BroughtLately.fewEvents))
        return seconds > 0 ? max(Int64(min(seconds, 1e9).rounded(.up)), 1) : 0
    }
}
