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
            valueName: "url"))
    var database: String?

    static var standardData: String {
        if getuid() == 0 { return "/var/lib/throng" }
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        return (ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/throng"
    }

    /// The data directory as an absolute path.
    var dataPath: String {
        let path = data ?? Self.standardData
        return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

/// Reaches the database that a command is about.
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
        var logger = Logger(label: "throng")
        logger.logLevel = .warning
        let cluster = try PrivateCluster(directory: directory, logger: logger)
        if cluster.processID != nil { return try await body(cluster.settings) }
        try await cluster.start()
        let result: Result<Value, any Error>
        do { result = .success(try await body(cluster.settings)) } catch { result = .failure(error) }
        try await cluster.stop()
        return try result.get()
    }
}
