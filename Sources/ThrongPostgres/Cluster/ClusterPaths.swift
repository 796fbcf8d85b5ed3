/// Where a private cluster keeps its things.
struct ClusterPaths: Sendable, Hashable {
    /// Belongs to the server's user, mode 0700: whoever gets in here may log in.
    let root: String

    /// The cluster itself.
    var data: String { "\(root)/data" }
    /// Where initdb works; becomes ``data`` once it is complete.
    var unfinishedData: String { "\(root)/data.unfinished" }
    /// The server's log, a file a weekday.
    var logs: String { "\(root)/log" }
    /// The server's process id and more.
    var processFile: String { "\(data)/postmaster.pid" }
    /// The socket, whose name ends in the port by libpq's rule.
    var socket: String { "\(root)/.s.PGSQL.\(Self.port)" }
    /// Guards the socket as ``processFile`` guards the data.
    var socketLock: String { "\(socket).lock" }

    /// Only a part of the socket's name; nothing listens on a network.
    static let port = 5432
    /// `sun_path` holds 108 bytes, the last of them NUL. Source: unix(7).
    static let longestSocketPath = 107

    /// Checks that the socket's path is short enough.
    func checkLengths() throws(ClusterError) {
        guard socket.utf8.count <= Self.longestSocketPath else {
            throw .socketPathTooLong(path: socket, bytes: socket.utf8.count, limit: Self.longestSocketPath)
        }
    }

    /// How libpq reaches a database of this cluster.
    func connectionString(database: String, user: String) -> String {
        let quoted = root.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "host='\(quoted)' port=\(Self.port) dbname=\(database) user=\(user)"
    }
}
