package import ThrongPlan

/// What each network has brought in each open window: how many identifiers, how many of them lift floors, how many events.
///
/// In memory only, and by nothing but what a window's key makes of a network: it says nothing once the window is over. After a
/// restart it begins anew.
///
/// An identifier belongs to the network that it was first seen from in the window, and lifts floors or not until the window is
/// over, wherever it comes from later.
/// - Cost: about 13 bytes an identifier and 40 a network.
package struct NetworkTallies: Sendable {
    /// How much one network may bring in a window.
    package struct Limits: Sendable, Hashable {
        /// Unit: identifiers; nil for any number.
        package var identifiers: Int?
        /// Unit: events, as batches list them, whatever their count is; nil for any number.
        package var events: Int?
        /// What all tables may take, about. Beyond it new identifiers are not noted, and lift no floor where that is bounded. Unit:
        /// bytes.
        package var bytes: Int

        /// Bounds what one network may bring.
        package init(identifiers: Int? = 10_000, events: Int? = 1_000_000, bytes: Int = 64 << 20) {
            (self.identifiers, self.events, self.bytes) = (identifiers, events, bytes)
        }
    }

    /// What becomes of a batch.
    package enum Verdict: Sendable, Hashable {
        /// It may count; what it adds lifts floors, or only values.
        case admitted(liftsFloors: Bool)
        /// Its network has brought as much as one may.
        case refused
    }

    fileprivate struct Network: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        var identifiers: Int32 = 0
        var lifting: Int32 = 0
        var events: Int64 = 0
    }

    fileprivate struct Window: Sendable {
        var networks = OrderedTable<Network>()
        /// Hashes of identifiers whose last bit says whether they lift floors.
        var identifiers = FlatSet()

        var bytes: Int { identifiers.count * 13 + networks.count * 40 }
    }

    private var windows: [WindowID: Window] = [:]
    private let limits: Limits

    /// Begins with nothing.
    package init(limits: Limits) { self.limits = limits }

    /// What all tables take, about. Unit: bytes.
    package var bytes: Int { windows.values.reduce(0) { $0 + $1.bytes } }

    /// Notes a batch before it is counted. One that comes again is noted again.
    ///
    /// - Parameters:
    ///   - identifier: who sends it; ``KeyedIdentifier/nobody`` is none.
    ///   - network: what the window's key makes of the network.
    ///   - lifting: how many identifiers of one network lift floors; nil for all.
    package mutating func note(
        _ identifier: KeyedIdentifier, from network: KeyedIdentifier, in window: WindowID, events: Int, lifting: Int?
    ) -> Verdict {
        let hasRoom = bytes < limits.bytes
        return windows[window, default: Window()].note(
            identifier, from: network, events: events, lifting: lifting, limits: limits, hasRoom: hasRoom)
    }

    /// What is left of a window that is over.
    package struct Ended: Sendable, Hashable {
        /// Which one.
        package let window: WindowID
        /// Identifiers of the network that brought most.
        package let largest: Int
        /// Identifiers of all networks.
        package let all: Int
    }

    /// Forgets windows of which no batch is accepted any more, but for what their largest networks brought.
    package mutating func takeEnded(overBy now: UnixSeconds) -> [Ended] {
        let over = windows.filter { $0.key.over <= now }
        guard !over.isEmpty else { return [] }
        windows = windows.filter { now < $0.key.over }
        return over.map { id, window in
            var (largest, all) = (0, 0)
            window.networks.forEach { network in
                largest = max(largest, Int(network.identifiers))
                all += Int(network.identifiers)
            }
            return Ended(window: id, largest: largest, all: all)
        }
    }
}

extension NetworkTallies.Window {
    fileprivate mutating func note(
        _ identifier: KeyedIdentifier, from network: KeyedIdentifier, events: Int, lifting: Int?,
        limits: NetworkTallies.Limits, hasRoom: Bool
    ) -> NetworkTallies.Verdict {
        let known = standing(of: identifier)
        let slot = NetworkTallies.Network(order: max(network.high, 1))
        guard hasRoom || networks.slot(like: slot) != nil else {
            return .admitted(liftsFloors: known ?? (lifting == nil))
        }
        let isNew = known == nil && identifier != .nobody && hasRoom
        let verdict = networks.update(slot) { network -> NetworkTallies.Verdict in
            if let most = limits.events, network.events + Int64(events) > most { return .refused }
            if isNew, let most = limits.identifiers, network.identifiers >= most { return .refused }
            network.events += Int64(events)
            if let known { return .admitted(liftsFloors: known) }
            guard isNew else { return .admitted(liftsFloors: lifting == nil) }
            network.identifiers += 1
            let lifts = lifting.map { network.lifting < $0 } ?? true
            if lifts { network.lifting += 1 }
            return .admitted(liftsFloors: lifts)
        }
        if isNew, case .admitted(let lifts) = verdict { _ = identifiers.insert(Self.member(identifier, lifts: lifts)) }
        return verdict
    }

    /// Whether an identifier lifts floors; nil for one that is not known.
    private mutating func standing(of identifier: KeyedIdentifier) -> Bool? {
        if identifiers.contains(Self.member(identifier, lifts: true)) { return true }
        return identifiers.contains(Self.member(identifier, lifts: false)) ? false : nil
    }

    private static func member(_ identifier: KeyedIdentifier, lifts: Bool) -> UInt64 {
        identifier.high & ~1 | (lifts ? 1 : 0)
    }
}
