import Foundation
import ThrongInsight
import ThrongPlan
import ThrongReport

/// Standard error is talk, standard output is data.
enum Terminal {
    static func talk(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((newline ? text + "\n" : text).utf8))
    }

    /// True if standard output is a terminal whose user wants type to stand out.
    static var isStyled: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    }

    static func data(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A value as JSON with sorted keys on standard output.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        data(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// 1234567 as "1,234,567".
    static func grouped(_ number: Int) -> String { Wording.english.number(number) }

    /// 2026-11-20T06:00:00Z.
    static func instant(_ time: UnixSeconds) -> String {
        Instant.text(time)
    }

    /// "1 metric", "2 metrics".
    static func count(_ number: Int, _ noun: String) -> String { Wording.english.count(number, noun) }

    /// Lines of label and value, the values under each other.
    static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}

/// The message of a command that ends with exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
