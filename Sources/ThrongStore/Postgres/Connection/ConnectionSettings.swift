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

/// The reason why PostgreSQL did not do what it was asked; no case holds a parameter's value or a password.
package enum PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    case connectionStringInvalid
    /// No connection came about; the reason is libpq's, without the password.
    case unreachable(reason: String)
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost(query: String)
    /// No answer within the time allowed; the connection was dropped. Unit: seconds.
    case timedOut(query: String, seconds: Int)
    case closed
    case statementFailed(query: String, state: SQLState, message: String)
    case unreplicated(query: String)
    case unexpectedAnswer(query: String)
    /// A column is null and may not be. The first is 1; the name is PostgreSQL's.
    case unexpectedNull(query: String, column: Int, name: String)

    package var sqlState: SQLState? { if case .statementFailed(_, let state, _) = self { state } else { nil } }

    package var isRetryable: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut, .unreplicated: true
        case .statementFailed(_, let state, let message): state.isRetryable || Self.isLostWorker(state, message)
        default: false
        }
    }

    /// True if there is no server that could answer: look for one soon, as another may take its place.
    package var isAbsence: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut: true
        case .statementFailed(_, let state, let message): state.isAbsence || Self.isLostWorker(state, message)
        default: false
        }
    }

    /// True if a coordinator of Citus reports that a worker is gone. It passes on libpq's words, which come without a
    /// code, as an internal error (`ReportResultError`), or its own words.
    private static func isLostWorker(_ state: SQLState, _ message: String) -> Bool {
        state == .internalError && lostWorker.contains { message.contains($0) }
    }

    private static let lostWorker = [
        "server closed the connection unexpectedly", "SSL connection has been closed unexpectedly",
        "could not receive data from server", "could not send data to server", "no connection to the server",
        "connection to server at ", "connection error: ", "connection to the remote node ",
        "failure on connection marked as essential",
    ]

    package var description: String {
        switch self {
        case .connectionStringInvalid:
            """
            the database's connection string can't be read; write postgresql://user@host:5432/database or \
            "host=… dbname=… user=…", percent-encode special characters (@ as %40, / as %2F, ? as %3F), and keep the password in a password file
            """
        case .unreachable(let reason):
            "PostgreSQL can't be reached (\(reason)); check that it runs and that the connection string names it"
        case .connectionLost(let query):
            "the connection to PostgreSQL broke during \(query); "
                + "try again, the effect of a lost answer is checked first"
        case .timedOut(let query, let seconds):
            "PostgreSQL did not answer \(query) within \(seconds) seconds and the connection was dropped; "
                + "look for locks in pg_stat_activity, then try again"
        case .closed: "the connection was closed; make a new one"
        case .statementFailed(let query, let state, let message):
            "PostgreSQL refused \(query) with SQLSTATE \(state): \(message)"
        case .unreplicated(let query):
            "PostgreSQL has committed \(query), but not on its synchronous replica: the wait for it was ended, "
                + "by hand or by a shutdown; what was done is looked at before it is done again"
        case .unexpectedAnswer(let query):
            "PostgreSQL's answer to \(query) has another shape than this version expects; run throng database"
        case .unexpectedNull(let query, let column, let name):
            "PostgreSQL's answer to \(query) has no value in column \(column) (\(name)), where there always is one; "
                + "run throng database, and where that finds nothing, please report it"
        }
    }
}

/// PostgreSQL's five-character error code (its manual, appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    package let code: String

    package init(_ code: String) { self.code = code }

    package var description: String { code }

    /// True if the same transaction may succeed when it is tried again: connection exceptions, a server that shuts
    /// down, starts or has become a replica, a cancelled statement, serialization failures, deadlocks, exhausted
    /// resources.
    package var isRetryable: Bool {
        isAbsence || code.hasPrefix("53") || ["40001", "40P01", "55P03", "57014"].contains(code)
    }

    /// True if there is no server that takes writes: connection exceptions, one that shuts down, starts or is a
    /// replica.
    package var isAbsence: Bool { code.hasPrefix("08") || code.hasPrefix("57P0") || self == .readOnly }

    /// A write on a replica, or where only reading is allowed.
    package static let readOnly = SQLState("25006")
    /// The code of errors without one of their own. Citus uses it when a worker's connection broke.
    package static let internalError = SQLState("XX000")

    /// Two transactions waited for each other, and this one was ended.
    package static let deadlockDetected = SQLState("40P01")
    /// A row that no partition holds, among other violated checks.
    package static let checkViolation = SQLState("23514")
    /// True for data exceptions: their messages quote values.
    package var isDataException: Bool { code.hasPrefix("22") }
}
