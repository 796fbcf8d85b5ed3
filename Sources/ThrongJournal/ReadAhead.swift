internal import Dispatch
internal import Synchronization

/// Elements on their way from a thread that reads to one that uses them, in order, and what came of the reading.
final class ReadAhead<Element: Sendable, Outcome: Sendable>: Sendable {
    private struct State {
        var runs: [[Element]] = []
        var count = 0
        /// Runs that the reader lets go, whose thread allocated them: memory is given back fastest where it came from.
        var used: [[Element]] = []
        var outcome: Outcome?
        var isReaderWaiting = false
        var isUserWaiting = false
    }

    private let state = Mutex(State())
    private let most: Int
    private let wakeReader = DispatchSemaphore(value: 0)
    private let wakeUser = DispatchSemaphore(value: 0)

    /// - Parameter most: once so many elements wait, reading waits.
    init(most: Int) { self.most = most }

    /// Hands over elements; waits while there are too many. For the thread that reads.
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

    /// Says what came of the reading: there is nothing more. For the thread that reads.
    func finish(_ outcome: Outcome) {
        let mustWake = state.withLock { state in
            state.outcome = outcome
            defer { state.isUserWaiting = false }
            return state.isUserWaiting
        }
        if mustWake { wakeUser.signal() }
    }

    /// Uses every element, and returns what came of the reading once there are no more.
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
