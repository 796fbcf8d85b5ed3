import ArgumentParser
import Foundation
import Logging
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

/// The place of the data: a data directory with its private PostgreSQL, or a PostgreSQL of the operator's.
struct Place: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL to use, as a URL or keywords; without it a private one runs in the data directory.",
            valueName: "url")) var database: String?

    static var standardData: String {
        if getuid() == 0 { return "/var/lib/throng" }
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        return (ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/throng"
    }

    var dataPath: String { Self.absolute(data ?? Self.standardData) }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

/// The data directory of a command that needs no database.
struct DataOption: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    var path: String { data ?? Place.standardData }
}

enum DatabaseAccess {
    /// Lends the settings of the operator's PostgreSQL, or of the data directory's private one, which is started for
    /// the length of the call where it does not run.
    static func use<Value: Sendable>(
        _ place: Place, _ body: (ConnectionSettings) async throws -> Value
    ) async throws -> Value {
        if let database = place.database { return try await body(ConnectionSettings(connectionString: database)) }
        let directory = place.dataPath + "/postgres"
        guard FileManager.default.fileExists(atPath: directory) else {
            throw CommandFailure(
                "There is no PostgreSQL under \(place.dataPath). Name the data directory of a `throng serve` with --data, "
                    + "or a PostgreSQL with --database.")
        }
        try DataDirectory.checkTrust(in: place.dataPath)
        let cluster = try PrivateCluster.quiet(in: directory)
        return try await cluster.processID == nil ? cluster.lend(body) : body(cluster.settings)
    }

    /// Lends a connection for the length of the call.
    ///
    /// - Parameter open: as the owner of the schema unless given.
    static func connect<Value: Sendable>(
        _ place: Place, _ open: (ConnectionSettings) -> Connection = { Connection($0) },
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        try await use(place) { settings in
            let connection = open(settings)
            defer { connection.close() }
            return try await body(connection)
        }
    }

    /// Lends the store of releases for the length of the call.
    static func releases<Value: Sendable>(
        _ place: Place, _ body: (ReleaseStore) async throws -> Value
    ) async throws -> Value {
        try await use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            return try await body(store)
        }
    }
}

extension PrivateCluster {
    /// Returns the private PostgreSQL of a folder; it logs warnings and nothing less.
    static func quiet(in directory: String, from level: Logger.Level = .warning) throws -> PrivateCluster {
        var logger = Logger(label: "throng")
        logger.logLevel = level
        return try PrivateCluster(directory: directory, logger: logger)
    }

    /// Runs it for the length of the call.
    func lend<Value: Sendable>(_ body: (ConnectionSettings) async throws -> Value) async throws -> Value {
        try await start()
        do {
            let value = try await body(settings)
            try await stop()
            return value
        } catch {
            // The first error matters more than how the end went.
            try? await stop()
            throw error
        }
    }
}

extension DaemonID: ExpressibleByArgument { package init?(argument: String) { self.init(argument) } }

extension Connection {
    /// Opens a connection for statements that go through tables of any size.
    static func patient(_ settings: ConnectionSettings) -> Connection {
        Connection(ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 86_400))
    }
}

/// The secret that releases draw their noise from, so that the same question has the same draw.
enum ReleaseSecret {
    static let name = "installation.secret"

    /// The secret of a data directory, where it is made if there is none; nil where there is no such directory.
    ///
    /// - Throws: `TieSecretError`.
    static func find(dataPath: String) throws -> TieSecret? {
        guard FileManager.default.fileExists(atPath: dataPath) else { return nil }
        return try TieSecret.kept(at: dataPath + "/" + name)
    }
}
