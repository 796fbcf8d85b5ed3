import Synchronization
import ThrongClient
import ThrongWire

/// A clock that stands still until a test wakes whoever sleeps next, and counts them.
final class StandingClock: ClientClock {
    private struct State {
        var now: Double
        var lastSleeper = 0
        var sleepers: [Int: (due: Double, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// Those that were cancelled before they slept.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    init(_ time: UnixSeconds) { state = Mutex(State(now: Double(time.value))) }

    var unixSeconds: Int64 { state.withLock { Int64($0.now) } }

    func sleep(seconds: Double) async throws {
        let sleeper = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(sleeper) != nil { return true }
                    state.sleepers[sleeper] = (state.now + seconds, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeping = state.withLock { state in
                let sleeping = state.sleepers.removeValue(forKey: sleeper)
                if sleeping == nil { state.cancelled.insert(sleeper) }
                return sleeping
            }
            sleeping?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until somebody sleeps, and wakes whoever is due first, at that time.
    func wake() async throws {
        while true {
            let first = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let first = state.sleepers.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }) else {
                    return nil
                }
                state.sleepers[first.key] = nil
                state.now = max(state.now, first.value.due)
                return first.value.continuation
            }
            if let first { return first.resume() }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Wakes one after another until so much time is over.
    ///
    /// - Returns: how many they were; no more than `most` are waked.
    func wakes(in seconds: Int64, most: Int) async throws -> Int {
        let end = unixSeconds + seconds
        var count = 0
        while unixSeconds < end, count < most {
            try await wake()
            count += 1
        }
        return count
    }
}
