/// The files that configure a private cluster; written anew at every start.
enum ClusterConfiguration {
    /// postgresql.conf: no network, modest memory, full durability, a log without statements or values.
    static func server(_ paths: ClusterPaths, connections: Int) -> String {
        func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        return """
            # Written by throng at every start. Changes here do not last.
            listen_addresses = ''
            port = \(ClusterPaths.port)
            unix_socket_directories = \(quoted(paths.root))
            unix_socket_permissions = 0700
            max_connections = \(connections)
            superuser_reserved_connections = 3

            # Memory: a guest on this machine.
            shared_buffers = 128MB
            work_mem = 16MB
            maintenance_work_mem = 64MB
            max_parallel_workers_per_gather = 0
            jit = off

            # Durability: an acknowledged flush is on disk.
            fsync = on
            synchronous_commit = on
            full_page_writes = on
            wal_compression = on
            wal_level = replica
            max_wal_senders = 0
            max_wal_size = 2GB
            # A segment that is used again would keep what it held until that is written over.
            wal_recycle = off
            checkpoint_timeout = 15min

            # The log names what failed, never with which values.
            logging_collector = on
            log_directory = \(quoted(paths.logs))
            log_filename = 'server-%a.log'
            log_file_mode = 0600
            log_truncate_on_rotation = on
            log_rotation_age = 1d
            log_rotation_size = 0
            log_error_verbosity = terse
            log_min_error_statement = panic
            log_parameter_max_length = 0
            log_parameter_max_length_on_error = 0
            log_min_duration_statement = -1
            log_statement = 'none'

            timezone = 'UTC'
            log_timezone = 'UTC'
            lc_messages = 'C'

            """
    }

    /// pg_hba.conf: the socket's directory is the lock, so whoever reaches the socket is let in; nobody else.
    static let access = """
        # Written by throng at every start. Changes here do not last.
        local all all trust

        """
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
