/// One cell of a CSV file (RFC 4180).
package enum CSVCell {
    /// Text from the plan, which may be hostile.
    case text(String)
    /// A number that this program wrote.
    case number(String)
    /// Nothing.
    case empty

    /// The cell as it is written.
    ///
    /// Text that a spreadsheet could take for a formula gets an apostrophe in front: it starts with `=`, `+`, `-`, `@`
    /// (also their full-width forms), a tab or a line break, alone or after blanks. Whatever is not letters, digits and
    /// plain punctuation is quoted, also for readers that split at semicolons.
    /// Source: OWASP, "CSV Injection".
    package var written: String {
        switch self {
        case .empty: return ""
        case .number(let digits): return digits
        case .text(let text):
            let defused = Self.startsFormula(text) ? "'" + text : text
            guard !defused.utf8.allSatisfy(Self.isPlain) else { return defused }
            let doubled = defused.unicodeScalars.reduce(into: String.UnicodeScalarView()) { result, scalar in
                if scalar == "\"" { result.append("\"") }
                result.append(scalar)
            }
            return "\"" + String(doubled) + "\""
        }
    }

    private static func startsFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\t", "\r", "\n": return true
            case " ", "\u{a0}", "\u{feff}": continue
            default: return false
            }
        }
        return false
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: " "):
            true
        default:
            false
        }
    }
}
