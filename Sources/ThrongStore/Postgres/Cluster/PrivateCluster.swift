internal import Foundation
internal import Glibc
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// A PostgreSQL server of Throng's own, in a directory, reachable through a Unix socket there and by nobody else.
///
/// It is created on first use, adopted if it still runs after Throng was killed, restarted when it dies, and stopped
/// when Throng stops gracefully.
package final class PrivateCluster: Service, Sendable {
    /// The database that holds schema throng.
    package static let database = "throng"
    package static let owner = "postgres"

    let paths: ClusterPaths
    let logger: Logger
    let connections: Int
    /// True if this process has started the server, or has begun to.
    let hasStartedServer = Atomic(false)
    /// The start under way, which others join.
    private let starting = Mutex<Task<Void, any Error>?>(nil)

    /// The time that an immediate stop may take, after an orderly stop has failed. Unit: seconds.
    private static let haltSeconds = 5
    /// The time limit of a stop while a service manager waits for all of Throng. Unit: seconds.
    private static let serviceStopSeconds = 25
    /// The time between two looks at the server. Unit: seconds.
    private static let supervisionSeconds = 1.0
    /// The time limit of a running server's answer. Unit: seconds.
    private static let answerSeconds = 300
    /// The longest pause between attempts to restart. Unit: seconds.
    private static let longestPauseSeconds = 30.0

    /// Prepares a cluster in a directory that it has for itself; nothing is touched before ``start()``.
    package init(directory: String, connections: Int = 60, logger: Logger) throws(ClusterError) {
        let url = URL(fileURLWithPath: directory).standardizedFileURL
        (paths, self.logger, self.connections) = (ClusterPaths(root: url.path), logger, connections)
        try paths.checkLengths()
    }

    /// The settings to reach the database as its owner; stores take on their roles themselves.
    package var settings: ConnectionSettings { settings(database: Self.database) }

    /// Returns the settings to reach any database of the cluster as its owner.
    package func settings(database: String) -> ConnectionSettings {
        ConnectionSettings(connectionString: paths.connectionString(database: database, user: Self.owner))
    }

    /// The server's process id; nil while none runs.
    package var processID: Int32? { ServerProcess.running(paths)?.id }

    package var isMade: Bool { FileManager.default.fileExists(atPath: paths.data) }

    /// True if the server, if it runs, was started by this process and not adopted: then no earlier process can reach
    /// it.
    package var isOwnServer: Bool { hasStartedServer.load(ordering: .sequentiallyConsistent) }

    /// Makes the cluster if there is none, then starts or adopts its server, and makes the database and the roles.
    /// Joins a start that is under way.
    package func start() async throws {
        let task = starting.withLock { current in
            let task = current ?? Task { try await self.startOrAdopt() }
            current = task
            return task
        }
        defer { starting.withLock { if $0 == task { $0 = nil } } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func startOrAdopt() async throws {
        let server = try await prepare()
        let deadline = ContinuousClock.now + .seconds(Self.answerSeconds)
        while true {
            try await start(server)
            do {
                return try await createDatabase()
            } catch let error as PostgresError where error.isRetryable && ContinuousClock.now < deadline {
                // An adopted server may still be recovering from a crash, or be about to stop; in that case it is
                // started again.
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Restarts the server whenever it dies, until Throng stops gracefully; then stops the server.
    package func run() async throws {
        var pause = Self.supervisionSeconds
        while await Self.sleep(pause) {
            guard processID == nil else {
                pause = Self.supervisionSeconds
                continue
            }
            logger.error("the private PostgreSQL died and is started again")
            do {
                try await cancelWhenGracefulShutdown { try await self.start() }
                pause = Self.supervisionSeconds
            } catch is CancellationError {
                // The graceful stop woke us.
            } catch {
                pause = min(pause * 2, Self.longestPauseSeconds)
                logger.error("the private PostgreSQL could not be started", metadata: ["error": "\(error)"])
            }
        }
        try await stop(within: Self.serviceStopSeconds)
    }

    /// Waits; returns false once it is time to stop.
    private static func sleep(_ seconds: Double) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(seconds)) }
            return !Task.isShuttingDownGracefully
        } catch { return false }
    }

    /// Stops the server: open transactions are rolled back, committed ones are on disk. A server that takes too long is
    /// stopped at once, and recovers at its next start. One that does not even do that is left running, with a message.
    ///
    /// A start under way is cancelled. Cancelling the caller changes nothing.
    package func stop(within seconds: Int = 125) async throws {
        try await Task { try await self.halt(within: seconds) }.value
    }

    private func halt(within seconds: Int) async throws {
        if let task = starting.withLock({ $0 }) {
            task.cancel()
            // The error of the start concerns those who wait for it.
            _ = await task.result
            // A server that was being started when its start was given up shows itself soon.
            for _ in 0..<20 where processID == nil && isOwnServer { try await Task.sleep(for: .milliseconds(50)) }
        }
        guard let id = processID else { return }
        let server = try await found()
        for (mode, seconds) in [("fast", seconds - Self.haltSeconds), ("immediate", Self.haltSeconds)] {
            do {
                try await server.command.run(
                    "\(server.binaries.directory)/pg_ctl",
                    ["stop", "-D", paths.data, "-m", mode, "-w", "-s", "-t", "\(seconds)"])
                return logger.info("the private PostgreSQL was stopped", metadata: ["mode": "\(mode)"])
            } catch let error as ClusterError {
                guard processID != nil else { return }
                logger.error(
                    "the private PostgreSQL does not stop", metadata: ["mode": "\(mode)", "error": "\(error)"])
            }
        }
        logger.error("the private PostgreSQL is left running; the next start adopts it", metadata: ["pid": "\(id)"])
    }

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

/// The reason why the private PostgreSQL can't run.
package enum ClusterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No PostgreSQL server is installed, or none of the version that wrote the data. Unit: major version.
    case binariesMissing(version: Int?)
    /// The socket's path does not fit what Unix sockets allow. Unit: bytes.
    case socketPathTooLong(path: String, bytes: Int, limit: Int)
    case userMissing(name: String)
    case notTraversable(directory: String, user: String)
    case foreign(directory: String, found: String, user: String)
    case rightsKept(user: String)
    case commandFailed(program: String, status: Int, output: String)
    case notACluster(directory: String)

    package var description: String {
        switch self {
        case .binariesMissing(let version):
            """
            no PostgreSQL server\(version.map { " of version \($0)" } ?? "") was found in /usr/lib/postgresql or on the \
            PATH; install it (apt-get install postgresql\(version.map { "-\($0)" } ?? "")) or name a database with \
            --database
            """
        case .socketPathTooLong(let path, let bytes, let limit):
            "the socket \(path) has a path of \(bytes) bytes, \(limit) are allowed; "
                + "choose a data directory with a shorter path"
        case .userMissing(let name):
            "PostgreSQL refuses to run as root and there is no user \(name); "
                + "install PostgreSQL's package, which makes one, or start throng as another user"
        case .notTraversable(let directory, let user):
            "user \(user) can't enter \(directory), which is on the way to the data directory; "
                + "allow it (chmod o+x \(directory)) or choose another data directory"
        case .foreign(let directory, let found, let user):
            "\(directory) is to hold PostgreSQL and is \(found); it has to be a directory of \(user). "
                + "Look who put it there, move it away, or choose another data directory"
        case .rightsKept(let user):
            """
            this process runs as root and may not act as \(user) (it lacks CAP_SETUID or CAP_SETGID), so it touches nothing \
            in that user's directory; start throng as an ordinary user, or name a database with --database
            """
        case .commandFailed(let program, let status, let output):
            "\(program) ended with status \(status): \(output.isEmpty ? "no output" : output)"
        case .notACluster(let directory):
            "\(directory) holds files but no PostgreSQL cluster; move them away or choose another data directory"
        }
    }
}
