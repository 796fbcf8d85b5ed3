internal import Foundation
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
            """
            the socket \(path) has a path of \(bytes) bytes, \(limit) are allowed; choose a data directory with a \
            shorter path
            """
        case .userMissing(let name):
            """
            PostgreSQL refuses to run as root and there is no user \(name); install PostgreSQL's package, which makes \
            one, or start throng as another user
            """
        case .notTraversable(let directory, let user):
            """
            user \(user) can't enter \(directory), which is on the way to the data directory; allow it \
            (chmod o+x \(directory)) or choose another data directory
            """
        case .foreign(let directory, let found, let user):
            """
            \(directory) is to hold PostgreSQL and is \(found); it has to be a directory of \(user). Look who put it there, \
            move it away, or choose another data directory
            """
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
