/// The files that configure a private cluster; written anew at every start.
enum ClusterConfiguration {
    /// postgresql.conf: no network, modest memory, full durability, a log without statements or values.
    ///
    /// - Parameter connections: how many there may be at a time.
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
