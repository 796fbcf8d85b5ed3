internal import Foundation
internal import Synchronization

/// One line on standard error that says how far a long piece of work is. Silent where that is no terminal.
package final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var lastDrawn = ContinuousClock.now - .seconds(1)
    }

    private let title: String
    private let total: Int
    private let unit: String
    private let isTerminal: Bool
    private let started = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameter total: what `done` reaches in the end; 0 where that is not known.
    package init(_ title: String, total: Int, unit: String) {
        self.title = title
        self.total = total
        self.unit = unit
        isTerminal = isatty(STDERR_FILENO) == 1
    }

    package func advance(by amount: Int) {
        let line: String? = state.withLock { state -> String? in
            state.done += amount
            let now = ContinuousClock.now
            guard isTerminal, now - state.lastDrawn > .milliseconds(100) else { return nil }
            state.lastDrawn = now
            return self.line(done: state.done, at: now)
        }
        if let line { Terminal.talk("\r\u{1b}[K" + line, newline: false) }
    }

    package func finish() {
        let done = state.withLock { $0.done }
        Terminal.talk((isTerminal ? "\r\u{1b}[K" : "") + line(done: done, at: .now))
    }

    private func line(done: Int, at now: ContinuousClock.Instant) -> String {
        let seconds = max((now - started) / .seconds(1), 0.001)
        let rate = Terminal.grouped(Int(Double(done) / seconds))
        guard total > 0 else { return "\(title)  \(Terminal.grouped(done)) \(unit), \(rate)/s" }
        let share = min(1, Double(done) / Double(total))
        let width = 28
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(title)  \(bar) \(Int(share * 100)) %  \(Terminal.grouped(done)) \(unit), \(rate)/s"
    }
}
