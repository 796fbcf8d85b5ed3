internal import Dispatch
internal import Synchronization

/// A queue from a reading thread to one that uses the elements, in order, with the outcome of the reading.
final class ReadAhead<Element: Sendable, Outcome: Sendable>: Sendable {
    private struct State {
        var runs: [[Element]] = []
        var count = 0
        /// The used runs, released by the reading thread, which allocated them: that is where freeing is fastest.
        var used: [[Element]] = []
        var outcome: Outcome?
        var isReaderWaiting = false
        var isUserWaiting = false
    }

    private let state = Mutex(State())
    private let most: Int
    private let wakeReader = DispatchSemaphore(value: 0)
    private let wakeUser = DispatchSemaphore(value: 0)

    /// - Parameter most: the number of waiting elements at which reading waits.
    init(most: Int) { self.most = most }

    /// Adds elements; waits while there are too many. For the reading thread.
    func add(_ elements: [Element]) {
        let (mustWait, mustWake, used) = state.withLock { state in
            state.runs.append(elements)
            state.count += elements.count
            state.isReaderWaiting = state.count >= most
            defer {
                state.isUserWaiting = false
                state.used = []
            }
            return (state.isReaderWaiting, state.isUserWaiting, state.used)
        }
        withExtendedLifetime(used) {}
        if mustWake { wakeUser.signal() }
        if mustWait { wakeReader.wait() }
    }

    /// Sets the outcome: there are no more elements. For the reading thread.
    func finish(_ outcome: Outcome) {
        let mustWake = state.withLock { state in
            state.outcome = outcome
            defer { state.isUserWaiting = false }
            return state.isUserWaiting
        }
        if mustWake { wakeUser.signal() }
    }

    /// Calls `use` with every element, and returns the outcome once there are no more.
    func take(_ use: (Element) -> Void) -> Outcome {
        var runs: [[Element]] = []
        while true {
            let (next, outcome, mustWake) = state.withLock { state in
                let next = state.runs
                state.used.append(contentsOf: runs)
                state.runs = []
                state.count = 0
                state.isUserWaiting = next.isEmpty && state.outcome == nil
                defer { state.isReaderWaiting = false }
                return (next, state.outcome, state.isReaderWaiting)
            }
            runs = next
            if mustWake { wakeReader.signal() }
            for run in runs { for element in run { use(element) } }
            if runs.isEmpty {
                if let outcome { return outcome }
                wakeUser.wait()
            }
        }
    }
}
