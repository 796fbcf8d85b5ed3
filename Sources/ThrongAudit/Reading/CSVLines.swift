/// Splits comma-separated values (RFC 4180) into lines of fields.
enum CSVLines {
    /// - Complexity: O(scalars).
    static func split(_ text: String) -> [[String]] {
        var lines: [[String]] = []
        var line: [String] = []
        var field = String.UnicodeScalarView()
        var isQuoted = false
        var wasQuote = false
        func endField() {
            line.append(String(field))
            field = String.UnicodeScalarView()
            wasQuote = false
        }
        func endLine() {
            guard !line.isEmpty || !field.isEmpty else { return }
            endField()
            lines.append(line)
            line = []
        }
        for scalar in text.unicodeScalars {
            if isQuoted {
                if scalar == "\"" {
                    isQuoted = false
                    wasQuote = true
                } else {
                    field.append(scalar)
                }
                continue
            }
            switch scalar {
            case "\"":
                // A second quote inside quotes stands for one.
                if wasQuote { field.append(scalar) }
                isQuoted = true
                wasQuote = false
            case ",": endField()
            case "\r": break
            case "\n": endLine()
            default: field.append(scalar)
            }
        }
        endLine()
        return lines
    }
}
