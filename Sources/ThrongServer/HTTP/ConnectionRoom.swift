internal import NIOCore
internal import Synchronization

/// The places for a listener's open connections. It chooses the connection that makes room for a newcomer.
///
/// Once all places are taken, a newcomer gets the place of a silent connection: of the network that has most of them,
/// one that never sent a request, or has been silent for long. So silent connections keep nobody out, and a network
/// that opens many takes places from itself.
///
/// The networks of connections are held as long as these are open, and are passed on to nobody.
final class ConnectionRoom: Sendable {
    private struct State {
        var networks: [NetworkPrefix: [ConnectionPlace]] = [:]
        var taken = 0
        /// The network that had most connections at the last look, and their number then.
        var largest: (network: NetworkPrefix, count: Int)?
    }

    private let state = Mutex(State())
    private let places: Int

    /// The number of a network's connections that are drawn at random; the one that was silent for longest is closed.
    private static let sample = 16

    init(places: Int) { self.places = places }

    /// Takes a place; returns the connection that has to give up its own for it, and nil while there is room.
    func enter(_ place: ConnectionPlace) -> ConnectionPlace? {
        state.withLock { state in
            let leaving = state.taken < places ? nil : Self.mostSilent(&state)
            if let leaving { Self.remove(leaving, &state) }
            state.networks[place.network, default: []].append(place)
            place.index = (state.networks[place.network]?.count ?? 1) - 1
            state.taken += 1
            let count = state.networks[place.network]?.count ?? 0
            if count > state.largest?.count ?? 0 { state.largest = (place.network, count) }
            return leaving
        }
    }

    /// Gives a place up; does nothing if it was taken away.
    func leave(_ place: ConnectionPlace) { state.withLock { Self.remove(place, &$0) } }

    var taken: Int { state.withLock { $0.taken } }

    private static func remove(_ place: ConnectionPlace, _ state: inout State) {
        guard let index = place.index, var all = state.networks.removeValue(forKey: place.network) else { return }
        let last = all.removeLast()
        if index < all.count {
            all[index] = last
            last.index = index
        }
        place.index = nil
        state.taken -= 1
        if !all.isEmpty { state.networks[place.network] = all }
    }

    private static func mostSilent(_ state: inout State) -> ConnectionPlace? {
        // The largest network is looked for anew only once it has lost half of its connections: newcomers cost little.
        let known = state.largest.map { state.networks[$0.network]?.count ?? 0 } ?? 0
        if known == 0 || known < (state.largest?.count ?? 0) / 2 {
            state.largest = state.networks.max { $0.value.count < $1.value.count }.map { ($0.key, $0.value.count) }
        }
        guard let network = state.largest?.network, let all = state.networks[network] else { return nil }
        let some = all.count <= sample ? all[...] : (0..<sample).compactMap { _ in all.randomElement() }[...]
        return some.min { $0.standing < $1.standing }
    }
}

/// A connection's place among others.
final class ConnectionPlace: Sendable {
    let network: NetworkPrefix
    private let opened = NIODeadline.now().uptimeNanoseconds
    /// The time of the last whole request; 0 until one has come. Unit: nanoseconds.
    private let heard = Atomic<UInt64>(0)
    /// Closes the connection, so that another one gets its place.
    let giveUp: @Sendable () -> Void
    private let known = Mutex<Int?>(nil)

    init(_ network: NetworkPrefix, giveUp: @escaping @Sendable () -> Void) {
        (self.network, self.giveUp) = (network, giveUp)
    }

    /// The index in its network's list; nil without a place. Guarded by the room.
    fileprivate(set) var index: Int? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// The order in which connections are closed, lowest first: those that never sent a whole request, by the time at
    /// which they connected, then the others by the time of their last request.
    var standing: (hasSpoken: Int, since: UInt64) {
        let heard = heard.load(ordering: .relaxed)
        return heard == 0 ? (0, opened) : (1, heard)
    }

    func hear(at now: NIODeadline = .now()) { heard.store(now.uptimeNanoseconds, ordering: .relaxed) }
}
