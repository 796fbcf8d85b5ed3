internal import CLibPQ

extension ConnectionSettings {
    /// A connection string as people may see it: keywords and values, without passwords.
    ///
    /// What is a password libpq itself says, of each of its options.
    ///
    /// - Returns: nil where the string can't be read.
    package static func shown(_ connectionString: String) -> String? {
        guard let options = PQconninfoParse(connectionString, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var words: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                let isSecret = option.pointee.dispchar.map { String(cString: $0) == "*" } ?? true
                let text = isSecret ? "…" : String(cString: value)
                words.append("\(String(cString: keyword))=\(text.contains(" ") || text.isEmpty ? "'\(text)'" : text)")
            }
            option += 1
        }
        return words.joined(separator: " ")
    }
}
