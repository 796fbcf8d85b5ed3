extension BucketLabel {
    /// Whether the label can stand in a table, a CSV file, a spreadsheet and SQL without surprising anyone.
    ///
    /// 1 to 64 bytes; no quotes, commas, semicolons, backslashes, bars, control or invisible characters; no space at
    /// either end; no first character that makes a spreadsheet read a formula (`=`, `+`, `-`, `@`; OWASP, "CSV
    /// Injection").
    public var isPrintable: Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, text.utf8.count <= 64 else { return false }
        if "=+-@ ".unicodeScalars.contains(first) || last == " " { return false }
        return scalars.allSatisfy { scalar in
            if "\"'`,;\\|".unicodeScalars.contains(scalar) { return false }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: return false
            case .spaceSeparator: return scalar == " "
            default: return true
            }
        }
    }
}
