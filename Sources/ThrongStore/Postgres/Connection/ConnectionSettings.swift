internal import CLibPQ

/// The address of PostgreSQL, the role to work as, and time limits.
package struct ConnectionSettings: Sendable, Hashable {
    /// A URI or a list of keywords and values, as libpq reads it.
    package let connectionString: String
    /// The role that every statement runs as; nil keeps the user that logged in.
    package private(set) var role: DatabaseRole?
    /// The name in the server's activity view.
    package let applicationName: String
    /// The time limit of one statement. Unit: seconds.
    package private(set) var statementTimeoutSeconds: Int
    /// The time limit of connecting. Unit: seconds, a host each.
    package private(set) var connectTimeoutSeconds: Int
    /// The time limit of a statement's wait for a lock, within the statement's own; 0 sets no other limit. Unit:
    /// seconds.
    package private(set) var lockTimeoutSeconds = 0
    /// The time that a client waits beyond the server's own timeout, before it drops the connection. Unit: seconds.
    package private(set) var patienceSeconds = 15

    package init(
        connectionString: String, role: DatabaseRole? = nil, applicationName: String = "throng",
        statementTimeoutSeconds: Int = 300, connectTimeoutSeconds: Int = 10
    ) {
        (self.connectionString, self.role, self.applicationName) = (connectionString, role, applicationName)
        (self.statementTimeoutSeconds, self.connectTimeoutSeconds) = (statementTimeoutSeconds, connectTimeoutSeconds)
    }

    package func acting(as role: DatabaseRole?) -> ConnectionSettings {
        var settings = self
        settings.role = role
        return settings
    }

    /// Returns settings for small questions whose answer somebody waits for: a server that hangs is soon given up.
    package func brisk(seconds: Int, connecting: Int = 2) -> ConnectionSettings {
        var settings = self
        settings.statementTimeoutSeconds = seconds
        settings.connectTimeoutSeconds = connecting
        settings.patienceSeconds = 1
        return settings
    }

    /// Returns settings for statements that must not wait long for a lock: later ones would wait behind them.
    package func waitingForLocks(seconds: Int) -> ConnectionSettings {
        var settings = self
        settings.lockTimeoutSeconds = seconds
        return settings
    }

    /// The keywords for libpq, in order; those in the connection string come last and win.
    var keywords: [(name: String, value: String)] {
        [
            ("application_name", applicationName), ("connect_timeout", String(connectTimeoutSeconds)),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            // Unit: milliseconds. A peer that acknowledges nothing for this long is gone.
            ("tcp_user_timeout", "30000"), ("dbname", connectionString),
        ]
    }

    /// Returns a connection string for people, without passwords; nil if it can't be read, or one may be hidden.
    package static func shown(_ connectionString: String) -> String? { ConnectionOptions(connectionString)?.shown }
}

/// One of the roles that the schema grants rights to.
package enum DatabaseRole: String, Sendable, Hashable, CaseIterable {
    /// Adds to counters and reads nothing else.
    case ingest = "throng_ingest"
    /// Reads counters and writes releases.
    case reporter = "throng_reporter"
    /// Sees released numbers only.
    case analyst = "throng_analyst"
}

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
