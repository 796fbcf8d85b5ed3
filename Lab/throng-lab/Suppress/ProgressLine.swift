import Foundation
import Synchronization
import ThrongSystem

/// One line on standard error that says how far a search is, from its second second on. Silent where that is no
/// terminal.
final class ProgressLine: Sendable {
    private struct State {
        var lastDrawn = ContinuousClock.now + .seconds(1)
        var isDrawn = false
    }

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    func show(_ progress: SuppressionProgress) {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            guard isTerminal, now - state.lastDrawn > .milliseconds(200) else { return false }
            state.lastDrawn = now
            state.isDrawn = true
            return true
        }
        guard isDue else { return }
        let proofs =
            progress.proofsNeeded > 0
            ? ", \(Terminal.grouped(progress.proofsDone)) of \(Terminal.grouped(progress.proofsNeeded)) proofs" : ""
        let round = progress.round > 0 ? ", round \(progress.round)" : ""
        Terminal.talk("\r\u{1b}[K\(progress.phase.rawValue)\(proofs)\(round)", newline: false)
    }

    func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { Terminal.talk("\r\u{1b}[K", newline: false) }
    }
}
