internal import CLibPQ

/// The options that libpq reads in a connection string, and which of them are secret.
struct ConnectionOptions {
    let all: [(keyword: String, value: String, isSecret: Bool)]

    /// Reads a connection string; nil if libpq can't, or if a URL has an `@` that ends no user. In such a URL libpq
    /// reads parts of the password as a host or a database, which messages name.
    init?(_ connectionString: String) {
        // libpq's own message would quote the string, password and all.
        guard !Self.mayTellPassword(connectionString), let options = PQconninfoParse(connectionString, nil) else {
            return nil
        }
        defer { PQconninfoFree(options) }
        var all: [(keyword: String, value: String, isSecret: Bool)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                let isSecret = option.pointee.dispchar.map { String(cString: $0) == "*" } ?? true
                all.append((String(cString: keyword), String(cString: value), isSecret))
            }
            option += 1
        }
        self.all = all
    }

    /// The options for people: keywords and values, without secrets.
    var shown: String {
        all.map { option in
            let text = option.isSecret ? "…" : option.value
            return "\(option.keyword)=\(text.contains(" ") || text.isEmpty ? "'\(text)'" : text)"
        }.joined(separator: " ")
    }

    /// Returns a text of libpq's without the secrets.
    func hidingSecrets(in text: String) -> String {
        all.filter { $0.isSecret && !$0.value.isEmpty }.reduce(text) { text, secret in
            text.split(separator: secret.value, omittingEmptySubsequences: false).joined(separator: "…")
        }
    }

    /// True if a URL's password was cut at a sign that should have been percent-encoded: `@` or `/`. libpq takes no
    /// `?`. Source: PostgreSQL's manual, section 34.1.1.2.
    private static func mayTellPassword(_ text: String) -> Bool {
        guard let start = ["postgresql://", "postgres://"].first(where: { text.hasPrefix($0) }) else { return false }
        let rest = text.utf8.dropFirst(start.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "?") }
        let at = UInt8(ascii: "@")
        return authority.count { $0 == at } > 1 || path.contains(at)
    }
}

extension ConnectionSettings {
    /// Returns a connection string for people, without passwords; nil if it can't be read, or one may be hidden.
    package static func shown(_ connectionString: String) -> String? { ConnectionOptions(connectionString)?.shown }
}
