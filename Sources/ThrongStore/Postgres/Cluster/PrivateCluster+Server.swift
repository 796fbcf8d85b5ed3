internal import Foundation
internal import Glibc
internal import Logging
internal import Synchronization

extension PrivateCluster {
    struct Server: Sendable {
        let binaries: ServerBinaries
        let user: ServerUser
        let command: ServerCommand
    }

    /// The time limit of a start, with the recovery after a crash. Unit: seconds.
    private static let startSeconds = 300
    /// The most tries of a start while backends of a killed server still hold its memory.
    private static let startTries = 30
    /// The most analysts connected at a time.
    private static let analystConnections = 20

    func prepare() async throws -> Server {
        let user = try ServerUser.current()
        try makeRoot(for: user)
        if let obstacle = user.obstacle(to: paths.root) {
            throw ClusterError.notTraversable(directory: obstacle, user: user.name)
        }
        try await user.touchingFiles { [paths] in
            if !Self.exists(paths.logs) {
                try FileManager.default.createDirectory(
                    atPath: paths.logs, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            }
        }
        return try await found()
    }

    /// Stops the server and removes the cluster with all its content, with only its user's rights.
    package func remove() async throws {
        guard Self.exists(paths.root) else { return }
        let user = try ServerUser.current()
        try makeRoot(for: user)
        try await stop()
        try await user.touchingFiles { [paths] in
            for name in try FileManager.default.contentsOfDirectory(atPath: paths.root) {
                try FileManager.default.removeItem(atPath: "\(paths.root)/\(name)")
            }
        }
        guard rmdir(paths.root) == 0 else { throw refused("rmdir", user) }
    }

    func found() async throws -> Server {
        let user = try ServerUser.current()
        return Server(
            binaries: try ServerBinaries.find(version: try await writtenVersion(user)), user: user,
            command: ServerCommand(user: user))
    }

    /// Makes the cluster if there is none; starts its server unless it runs.
    func start(_ server: Server) async throws {
        if try await writtenVersion(server.user) == nil { try await initialize(server) }
        if let running = ServerProcess.running(paths) {
            logger.info("the private PostgreSQL still runs and is adopted", metadata: ["pid": "\(running.id)"])
            return
        }
        try await server.user.touchingFiles { [paths, connections] in
            if ServerProcess.isLeftOver(paths) {
                for leftOver in [paths.processFile, paths.socketLock] where Self.exists(leftOver) {
                    try FileManager.default.removeItem(atPath: leftOver)
                }
            }
            try Self.write(
                ClusterConfiguration.server(paths, connections: connections), to: "\(paths.data)/postgresql.conf")
            try Self.write(ClusterConfiguration.access, to: "\(paths.data)/pg_hba.conf")
        }
        hasStartedServer.store(true, ordering: .sequentiallyConsistent)
        var tries = 0
        while true {
            tries += 1
            do {
                try await server.command.run(
                    "\(server.binaries.directory)/pg_ctl",
                    [
                        "start", "-D", paths.data, "-w", "-t", "\(Self.startSeconds)", "-s",
                        "-l", "\(paths.logs)/start.log",
                    ])
                break
            } catch let error as ClusterError {
                // A killed server's backends need a moment to notice; until then its memory is in use.
                guard tries < Self.startTries, try await lastStart(server.user).contains("still in use") else {
                    throw error
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
        logger.info("the private PostgreSQL was started")
    }

    /// Makes the database and the roles, and lets the roles log in: the socket's directory keeps everybody else out.
    func createDatabase() async throws {
        let connection = Connection(settings(database: "postgres"))
        defer { connection.close() }
        try await connection.run { session in
            for role in DatabaseRole.allCases {
                let name = Parameter.text(role.rawValue)
                let found = try session.query("role.find", "select from pg_roles where rolname = $1", [name])
                if found.count == 0 { try session.query("role.create", "create role \(role.rawValue)") }
                // Analysts leave connections for the daemon.
                let limit = role == .analyst ? Self.analystConnections : -1
                try session.query("role.login", "alter role \(role.rawValue) login connection limit \(limit)")
            }
            let found = try session.query(
                "database.find", "select from pg_database where datname = $1", [.text(Self.database)])
            if found.count == 0 { try session.query("database.create", "create database \(Self.database)") }
        }
    }

    private func initialize(_ server: Server) async throws {
        let files = server.user
        try await files.touchingFiles { [paths] in
            if Self.exists(paths.data), try !FileManager.default.contentsOfDirectory(atPath: paths.data).isEmpty {
                throw ClusterError.notACluster(directory: paths.data)
            }
            if Self.exists(paths.unfinishedData) { try FileManager.default.removeItem(atPath: paths.unfinishedData) }
        }
        try await server.command.run(
            "\(server.binaries.directory)/initdb",
            [
                "-D", paths.unfinishedData, "-U", Self.owner, "--encoding=UTF8", "--locale=C", "--data-checksums",
                "--auth=trust", "--no-instructions",
            ])
        try await files.touchingFiles { [paths] in
            if Self.exists(paths.data) { try FileManager.default.removeItem(atPath: paths.data) }
            try FileManager.default.moveItem(atPath: paths.unfinishedData, toPath: paths.data)
        }
        logger.info("a private PostgreSQL was made", metadata: ["directory": "\(paths.data)"])
    }

    /// The major version that wrote the data; nil where there is none yet.
    private func writtenVersion(_ user: ServerUser) async throws -> Int? {
        try await user.touchingFiles { [paths] in
            guard let content = FileManager.default.contents(atPath: "\(paths.data)/PG_VERSION") else { return nil }
            return Int(String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// Returns the server's output from before it began to write its own log; at most the last 2000 characters.
    private func lastStart(_ user: ServerUser) async throws -> String {
        try await user.touchingFiles { [paths] in
            let content = FileManager.default.contents(atPath: "\(paths.logs)/start.log") ?? Data()
            return String(String(decoding: content, as: UTF8.self).suffix(2000))
        }
    }

    /// Creates the directory of the server's user. Only this process's user may change the directory around it; all
    /// within it belongs to the server's user and is touched with that user's rights only.
    private func makeRoot(for user: ServerUser) throws {
        let parent = (paths.root as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        guard mkdir(paths.root, 0o700) == 0 || errno == EEXIST else { throw refused("mkdir", user) }
        let root = open(paths.root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard root >= 0 else {
            throw ClusterError.foreign(
                directory: paths.root,
                found: errno == ELOOP || errno == ENOTDIR ? "a link or no directory" : "closed to us", user: user.name)
        }
        defer { close(root) }
        var facts = stat()
        guard fstat(root, &facts) == 0 else { throw refused("stat", user) }
        guard facts.st_uid == user.user || facts.st_uid == geteuid() else {
            throw ClusterError.foreign(
                directory: paths.root, found: "a directory of user \(facts.st_uid)", user: user.name)
        }
        guard facts.st_uid == user.user || fchown(root, user.user, user.group) == 0, fchmod(root, 0o700) == 0 else {
            throw refused("chown", user)
        }
    }

    private func refused(_ call: String, _ user: ServerUser) -> ClusterError {
        .commandFailed(
            program: call, status: Int(errno),
            output: "\(paths.root) can't be given to \(user.name): \(String(cString: strerror(errno)))")
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        guard chmod(path, 0o600) == 0 else {
            throw ClusterError.commandFailed(
                program: "chmod", status: Int(errno), output: "\(path): \(String(cString: strerror(errno)))")
        }
    }
}
