package import ThrongPlan

/// The tallies of each network in each open window: its identifiers, those of them that lift floors, and its events.
///
/// They are in memory only. A network appears only as a hash under the window's key, which says nothing once the window
/// is over. A restart begins anew.
///
/// New identifiers and events fill a bucket that empties within an hour (``BroughtLately``). A flood is refused once it
/// has filled the bucket, and later senders get in as it empties. Each place in a network has a share of its own, so
/// that a flood from one place leaves room for the others. Known identifiers are still accepted. However long a flood
/// lasts, no more identifiers of one network lift floors in a window than the bucket holds.
///
/// An identifier belongs to the network that it was first seen from in the window. It lifts floors, or does not, until
/// the window is over, from wherever it comes later.
/// - Cost: about 13 bytes an identifier, 60 a network and 60 a place in it.
package struct NetworkTallies: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The most new identifiers in an hour, and the most that lift floors in a window. Unit: identifiers; nil for any number.
        package var identifiers: Int?
        /// The most events in an hour. Unit: events, as batches list them, whatever their count is; nil for any number.
        package var events: Int?
        /// The approximate size that all tables may take. Beyond it, new identifiers are not noted, and lift no floor
        /// if that is bounded. Unit: bytes.
        package var bytes: Int

        /// Sets the bound on identifiers, and that on events to a hundred times as many; 0 bounds neither.
        package mutating func bound(identifiers most: Int) {
            identifiers = most == 0 ? nil : most
            events = most == 0 ? nil : 100 * most
        }

        /// Creates bounds; the defaults are those documented.
        package init(identifiers: Int? = 10_000, events: Int? = 1_000_000, bytes: Int = 64 << 20) {
            (self.identifiers, self.events, self.bytes) = (identifiers, events, bytes)
        }
    }

    /// A place in a network, from which a batch comes.
    package struct Source: Sendable, Hashable {
        /// The network under the window's key.
        package let network: KeyedIdentifier
        /// The place in the network: places share what it may bring.
        package let place: UInt16

        package init(network: KeyedIdentifier, place: UInt16) { (self.network, self.place) = (network, place) }
    }

    /// The decision about a batch.
    package enum Verdict: Sendable, Hashable {
        /// The batch may count; its identifier lifts floors, or only adds to values.
        case admitted(liftsFloors: Bool)
        /// Its network, or its place there, has brought as much as it may; it may be sent again after this time. Unit: seconds.
        case refused(retrySeconds: Int64)
    }

    private var windows: [WindowID: NetworksOfWindow] = [:]
    private let limits: Limits

    /// Creates tallies without any entry.
    package init(limits: Limits) { self.limits = limits }

    /// The approximate size of all tables. Unit: bytes.
    package var bytes: Int { windows.values.reduce(0) { $0 + $1.bytes } }

    /// Notes a batch before it is counted. A repeat is noted again.
    ///
    /// - Parameters:
    ///   - identifier: the sender; ``KeyedIdentifier/nobody`` for a purpose without identifiers.
    ///   - claims: other places that must have room for it, too.
    ///   - lifting: the most identifiers of one network that lift floors; nil for all.
    package mutating func note(
        _ identifier: KeyedIdentifier, from source: Source, claiming claims: [Source] = [], in window: WindowID,
        events: Int, lifting: Int?, now: UnixSeconds
    ) -> Verdict {
        let hasRoom = bytes < limits.bytes
        return windows[window, default: NetworksOfWindow()].note(
            identifier, from: source, claiming: claims, events: events, lifting: lifting, limits: limits,
            hasRoom: hasRoom, now: now)
    }

    /// The result of a window that is over.
    package struct Ended: Sendable, Hashable {
        package let window: WindowID
        /// The identifiers of the network that brought most.
        package let largest: Int
        /// The identifiers of all networks.
        package let all: Int
    }

    /// Forgets windows that no longer accept batches; returns what their networks brought.
    package mutating func takeEnded(overBy now: UnixSeconds) -> [Ended] {
        let over = windows.filter { $0.key.over <= now }
        guard !over.isEmpty else { return [] }
        windows = windows.filter { now < $0.key.over }
        return over.map { id, window in
            let (largest, all) = window.identifiersOfNetworks
            return Ended(window: id, largest: largest, all: all)
        }
    }
}

private struct NetworksOfWindow: Sendable {
    private struct Network: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        var identifiers: Int32 = 0
        var lifting: Int32 = 0
        var lately = BroughtLately()
    }

    private struct Place: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        var lately = BroughtLately()
    }

    private var networks = OrderedTable<Network>()
    private var places = OrderedTable<Place>()
    /// Hashes of identifiers whose last bit says whether they lift floors.
    private var identifiers = FlatSet()

    var bytes: Int { identifiers.count * 13 + (networks.count + places.count) * 60 }

    /// The identifiers of the network that brought most, and of all networks.
    var identifiersOfNetworks: (largest: Int, all: Int) {
        var (largest, all) = (0, 0)
        networks.forEach { network in
            largest = max(largest, Int(network.identifiers))
            all += Int(network.identifiers)
        }
        return (largest, all)
    }

    mutating func note(
        _ identifier: KeyedIdentifier, from source: NetworkTallies.Source, claiming claims: [NetworkTallies.Source],
        events: Int, lifting: Int?, limits: NetworkTallies.Limits, hasRoom: Bool, now: UnixSeconds
    ) -> NetworkTallies.Verdict {
        let known = standing(of: identifier)
        let slot = Self.network(source)
        guard hasRoom || networks.slot(like: slot) != nil else {
            return .admitted(liftsFloors: known ?? (lifting == nil))
        }
        let isNew = known == nil && identifier != .nobody && hasRoom
        let brought = BroughtLately.Amount(identifiers: isNew ? 1 : 0, events: events)
        var next: NetworkTallies.Source? = source
        var others = claims[...]
        while let each = next {
            let wait = seconds(until: each, mayBring: brought, limits: limits, now: now)
            guard wait == 0 else { return .refused(retrySeconds: wait) }
            next = others.popFirst()
        }
        if hasRoom || places.slot(like: Self.place(source)) != nil {
            places.update(Self.place(source)) { $0.lately.add(brought, limits, now: now) }
        }
        let lifts = networks.update(slot) { network -> Bool in
            network.lately.add(brought, limits, now: now)
            if let known { return known }
            guard isNew else { return lifting == nil }
            network.identifiers += 1
            let most = min(lifting ?? .max, limits.identifiers ?? .max)
            guard network.lifting < most else { return false }
            network.lifting += 1
            return true
        }
        if isNew { _ = identifiers.insert(Self.member(identifier, lifts: lifts)) }
        return .admitted(liftsFloors: lifts)
    }

    /// Returns the time until so much may come from a source; 0 if it may now. Unit: seconds.
    private mutating func seconds(
        until source: NetworkTallies.Source, mayBring brought: BroughtLately.Amount, limits: NetworkTallies.Limits,
        now: UnixSeconds
    ) -> Int64 {
        let network = networks.slot(like: Self.network(source))?.lately ?? BroughtLately()
        let place = places.slot(like: Self.place(source))?.lately ?? BroughtLately()
        return brought.seconds(beside: network, place, limits, now: now)
    }

    private static func network(_ source: NetworkTallies.Source) -> Network {
        Network(order: max(source.network.high, 1))
    }

    private static func place(_ source: NetworkTallies.Source) -> Place {
        // Nobody can choose the key, and a network has few places: mixing the number in is enough. SplitMix64's finalizer.
        var order = source.network.low ^ (UInt64(source.place) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        order = (order ^ order >> 30) &* 0xBF58_476D_1CE4_E5B9
        order = (order ^ order >> 27) &* 0x94D0_49BB_1331_11EB
        return Place(order: max(order ^ order >> 31, 1))
    }

    /// True if an identifier lifts floors; nil for an unknown one.
    private mutating func standing(of identifier: KeyedIdentifier) -> Bool? {
        if identifiers.contains(Self.member(identifier, lifts: true)) { return true }
        return identifiers.contains(Self.member(identifier, lifts: false)) ? false : nil
    }

    private static func member(_ identifier: KeyedIdentifier, lifts: Bool) -> UInt64 {
        identifier.high & ~1 | (lifts ? 1 : 0)
    }
}
