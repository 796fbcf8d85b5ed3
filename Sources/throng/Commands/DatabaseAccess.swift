import Foundation
import Logging
import ThrongJournal
import ThrongPostgres
import ThrongStore

/// Reaches the database that a command is about.
enum DatabaseAccess {
    /// Lends the settings of the operator's PostgreSQL, or of the data directory's private one, which is started for the
    /// length of the call where it does not run.
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
