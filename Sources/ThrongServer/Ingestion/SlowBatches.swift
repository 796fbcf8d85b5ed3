internal import Dispatch
internal import Synchronization

/// Takes requests that are slow to read off the event loops: one after another, on a thread of their own.
///
/// A client that sends new user agents or large bodies waits for others that do, and for nobody else. Waiting requests
/// take memory from the budget of bodies. Once too many wait, or one waits too long, others are turned away.
final class SlowBatches: Sendable {
    private struct State {
        var waiting = 0
        var wait = Duration.zero
    }

    private let bodies: BodyBudget
    private let state = Mutex(State())
    private let thread: DispatchQueue
    private let most: Int

    private static let longestWait = Duration.seconds(2)

    /// `most` is the number of requests that may wait.
    init(bodies: BodyBudget, label: String = "throng-odd-batches", most: Int = 256) {
        self.bodies = bodies
        self.most = most
        thread = DispatchQueue(label: label, qos: .utility)
    }

    /// Lets a request wait for its turn, with the memory that it takes meanwhile; false if there is no room.
    func add(bytes: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        let hasTime = state.withLock { state in
            guard state.waiting == 0 || state.waiting < most && state.wait <= Self.longestWait else { return false }
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

    /// Does work in its turn; returns nil if there is no room. Its memory is in the budget already.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            if !add(bytes: 0, { continuation.resume(returning: work()) }) { continuation.resume(returning: nil) }
        }
    }

    /// Waits until all that were added are done. Blocks the calling thread.
    func finish() { thread.sync {} }
}
