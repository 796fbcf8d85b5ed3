internal import Dispatch
internal import Synchronization

/// Takes batches that are long to read off the event loops: one after another, on a thread of their own.
///
/// Whoever sends user agents that nobody has had before waits for others who do, and for nobody else. What waits has a
/// place in the budget of bodies; once a batch had to wait too long, further ones are turned away until none is left.
final class OddBatches: Sendable {
    private struct State {
        var waiting = 0
        /// How long the last one had waited.
        var wait = Duration.zero
    }

    private let bodies: BodyBudget
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "throng-odd-batches", qos: .utility)

    /// How long one may wait before others are turned away.
    private static let longestWait = Duration.seconds(2)

    init(bodies: BodyBudget) { self.bodies = bodies }

    /// Lets a batch wait for its turn; false where there is no room.
    ///
    /// - Parameter bytes: what it takes while it waits.
    func add(bytes: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        let hasTime = state.withLock { state in
            guard state.waiting == 0 || state.wait <= Self.longestWait else { return false }
            state.waiting += 1
            return true
        }
        guard hasTime else { return false }
        guard bodies.exchange(0, for: bytes) else {
            state.withLock { $0.waiting -= 1 }
            return false
        }
        let came = ContinuousClock.now
        thread.async { [self] in
            state.withLock { $0.wait = ContinuousClock.now - came }
            work()
            _ = bodies.exchange(bytes, for: 0)
            state.withLock { $0.waiting -= 1 }
        }
        return true
    }

    /// Waits until all that were added are done. Blocks the calling thread.
    func finish() { thread.sync {} }
}
