/// The files that configure a private cluster, `postgresql.conf` and `pg_hba.conf` here; written anew at every start.
enum ClusterConfiguration {
    static func server(_ paths: ClusterPaths, connections: Int) -> String {
        let values = [
            "$PORT": "\(ClusterPaths.port)", "$CONNECTIONS": "\(connections)", "$ROOT": quoted(paths.root),
            "$LOGS": quoted(paths.logs),
        ]
        return String(decoding: PackageResources.postgresql_conf, as: UTF8.self)
            .replacing(/\$[A-Z]+/) { values[String($0.output)] ?? "" }
    }

    static var access: String { String(decoding: PackageResources.pg_hba_conf, as: UTF8.self) }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}

struct ClusterPaths: Sendable, Hashable {
    /// The directory of the server's user, mode 0700: whoever gets in here may log in.
    let root: String

    var data: String { "\(root)/data" }
    /// The directory that initdb works in; becomes ``data`` once it is complete.
    var unfinishedData: String { "\(root)/data.unfinished" }
    /// The server's log, a file a weekday.
    var logs: String { "\(root)/log" }
    /// The server's process id and more.
    var processFile: String { "\(data)/postmaster.pid" }
    /// The socket, whose name ends in the port by libpq's rule.
    var socket: String { "\(root)/.s.PGSQL.\(Self.port)" }
    /// The lock of the socket, as ``processFile`` is that of the data.
    var socketLock: String { "\(socket).lock" }

    /// The number in the socket's name; nothing listens on a network.
    static let port = 5432
    /// The longest path of a socket: `sun_path` holds 108 bytes, the last of them NUL. Source: unix(7).
    static let longestSocketPath = 107

    func checkLengths() throws(ClusterError) {
        guard socket.utf8.count <= Self.longestSocketPath else {
            throw .socketPathTooLong(path: socket, bytes: socket.utf8.count, limit: Self.longestSocketPath)
        }
    }

    func connectionString(database: String, user: String) -> String {
        let quoted = root.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "host='\(quoted)' port=\(Self.port) dbname=\(database) user=\(user)"
    }
}
