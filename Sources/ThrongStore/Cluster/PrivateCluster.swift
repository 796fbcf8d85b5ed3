internal import Foundation
public import Logging
public import ServiceLifecycle

/// A PostgreSQL server of Throng's own, in a directory, reachable through a Unix socket there and by nobody else.
///
/// It is made on first use, adopted when it still runs after Throng was killed, restarted when it dies, and stopped
/// when Throng stops gracefully.
public final class PrivateCluster: Service, Sendable {
    /// The database that holds schema throng.
    public static let database = "throng"
    /// The owner of everything in it.
    public static let owner = "postgres"

    let paths: ClusterPaths
    let logger: Logger
    let connections: Int

    /// How often the server is looked after. Unit: seconds.
    private static let supervisionSeconds = 1.0
    /// How long a running server may take to answer. Unit: seconds.
    private static let answerSeconds = 300
    /// The longest pause between attempts to restart. Unit: seconds.
    private static let longestPauseSeconds = 30.0

    /// Prepares a cluster in a directory that it has for itself; nothing is touched before ``start()``.
    ///
    /// - Parameters:
    ///   - directory: An absolute path; the directory is made when it is missing.
    ///   - connections: how many there may be at a time.
    /// - Throws: ``ClusterError/socketPathTooLong(path:bytes:limit:)``.
    public init(directory: String, connections: Int = 60, logger: Logger) throws(ClusterError) {
        let url = URL(fileURLWithPath: directory).standardizedFileURL
        paths = ClusterPaths(root: url.path)
        self.logger = logger
        self.connections = connections
        try paths.checkLengths()
    }

    /// How to reach the database as its owner; stores take on their roles themselves.
    public var settings: ConnectionSettings { settings(database: Self.database) }

    /// How to reach any database of the cluster as its owner.
    public func settings(database: String) -> ConnectionSettings {
        ConnectionSettings(connectionString: paths.connectionString(database: database, user: Self.owner))
    }

    /// The server's process id; nil while none runs.
    public var processID: Int32? { ServerProcess.running(paths)?.id }

    /// Makes the cluster if there is none, then starts or adopts its server, and makes the database and the roles.
    ///
    /// - Throws: ``ClusterError``; ``StoreError`` where the server does not answer.
    public func start() async throws {
        let server = try await prepare()
        let deadline = ContinuousClock.now + .seconds(Self.answerSeconds)
        while true {
            try await start(server)
            do {
                return try await createDatabase()
            } catch let error as StoreError where error.isRetryable && ContinuousClock.now < deadline {
                // An adopted server may still recover from a crash, or be about to stop: then it is started again.
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Restarts the server whenever it dies, until Throng stops gracefully; then stops the server.
    public func run() async throws {
        var pause = Self.supervisionSeconds
        while await Self.sleep(pause) {
            guard processID == nil else {
                pause = Self.supervisionSeconds
                continue
            }
            logger.error("the private PostgreSQL died and is started again")
            do {
                try await start()
                pause = Self.supervisionSeconds
            } catch {
                pause = min(pause * 2, Self.longestPauseSeconds)
                logger.error("the private PostgreSQL could not be started", metadata: ["error": "\(error)"])
            }
        }
        try await stop()
    }

    /// Waits; false once it is time to stop.
    private static func sleep(_ seconds: Double) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(seconds)) }
            return !Task.isShuttingDownGracefully
        } catch {
            return false
        }
    }

    /// Stops the server: open transactions are rolled back, what was committed is on disk.
    public func stop() async throws {
        guard processID != nil else { return }
        let server = try await prepare()
        try await server.command.run(
            "\(server.binaries.directory)/pg_ctl", ["stop", "-D", paths.data, "-m", "fast", "-w", "-t", "120"])
        logger.info("the private PostgreSQL was stopped")
    }
}
