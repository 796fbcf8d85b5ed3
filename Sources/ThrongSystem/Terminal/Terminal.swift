internal import Foundation
internal import Synchronization

/// Standard error is talk, standard output is data.
package enum Terminal {
    package static func talk(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((newline ? text + "\n" : text).utf8))
    }

    /// True if standard output is a terminal whose user wants type to stand out.
    package static var isStyled: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    }

    package static func data(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// A value as JSON with sorted keys on standard output.
    package static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// 1234567 as "1,234,567".
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        let parts = digits.indices.map { place in
            let isFirst = place == 0 || (digits.count - place) % 3 != 0
            return (isFirst ? "" : ",") + String(digits[place])
        }
        return (number < 0 ? "-" : "") + parts.joined()
    }

    /// "1 metric", "2 metrics".
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Lines of label and value, the values under each other.
    package static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}

/// The message of a command that ends with exit code 1.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

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
        (self.title, self.total, self.unit) = (title, total, unit)
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
