/// How to reach PostgreSQL, and as whom to work there.
package struct ConnectionSettings: Sendable, Hashable {
    /// A URI or a list of keywords and values, as libpq reads it.
    package let connectionString: String
    /// The role that every statement runs as; nil keeps the user that logged in.
    package private(set) var role: DatabaseRole?
    /// What the server's activity view shows.
    package let applicationName: String
    /// How long one statement may run. Unit: seconds.
    package private(set) var statementTimeoutSeconds: Int
    /// How long a connection may take to come about. Unit: seconds, a host each.
    package private(set) var connectTimeoutSeconds: Int
    /// How long a statement may wait for a lock, within what it may take; 0 sets no other limit. Unit: seconds.
    package private(set) var lockTimeoutSeconds = 0
    /// What a client waits beyond the server's own timeout, before it drops the connection. Unit: seconds.
    package private(set) var patienceSeconds = 15

    /// Puts settings together.
    package init(
        connectionString: String,
        role: DatabaseRole? = nil,
        applicationName: String = "throng",
        statementTimeoutSeconds: Int = 300,
        connectTimeoutSeconds: Int = 10
    ) {
        self.connectionString = connectionString
        self.role = role
        self.applicationName = applicationName
        self.statementTimeoutSeconds = statementTimeoutSeconds
        self.connectTimeoutSeconds = connectTimeoutSeconds
    }

    /// The same server as another role.
    package func acting(as role: DatabaseRole?) -> ConnectionSettings {
        var settings = self
        settings.role = role
        return settings
    }

    /// The same, for small questions whose answer somebody waits for: a server that hangs is given up soon.
    ///
    /// - Parameters:
    ///   - seconds: how long a statement may take. Unit: seconds.
    ///   - connecting: how long a connection may take. Unit: seconds.
    package func brisk(seconds: Int, connecting: Int = 2) -> ConnectionSettings {
        var settings = self
        settings.statementTimeoutSeconds = seconds
        settings.connectTimeoutSeconds = connecting
        settings.patienceSeconds = 1
        return settings
    }

    /// The same, for statements that must not wait long for a lock: whoever comes after them would wait, too.
    package func waitingForLocks(seconds: Int) -> ConnectionSettings {
        var settings = self
        settings.lockTimeoutSeconds = seconds
        return settings
    }

    /// What libpq gets, in order; what the connection string says itself comes last and wins.
    var keywords: [(name: String, value: String)] {
        [
            ("application_name", applicationName),
            ("connect_timeout", String(connectTimeoutSeconds)),
            ("keepalives", "1"),
            ("keepalives_idle", "30"),
            ("keepalives_interval", "10"),
            ("keepalives_count", "3"),
            // Unit: milliseconds. A peer that acknowledges nothing for so long is gone.
            ("tcp_user_timeout", "30000"),
            ("dbname", connectionString),
        ]
    }
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
