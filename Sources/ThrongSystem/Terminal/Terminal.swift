internal import Foundation

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

    package static func data(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

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
