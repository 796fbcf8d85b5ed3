internal import Foundation

/// Where a PostgreSQL server's programs are installed.
struct ServerBinaries: Sendable, Hashable {
    /// Holds initdb, pg_ctl and postgres.
    let directory: String

    /// Where Debian installs servers: a folder a major version.
    private static let debian = "/usr/lib/postgresql"

    /// Finds a server: of the major version that wrote existing data, else the newest.
    static func find(version: Int?) throws(ClusterError) -> ServerBinaries {
        let installed: [String]
        do {
            installed = try FileManager.default.contentsOfDirectory(atPath: debian)
        } catch {
            // Not a Debian layout: only the PATH is left.
            installed = []
        }
        let versions = installed.compactMap { Int($0) }.sorted(by: >).filter { version == nil || $0 == version }
        let onPath = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for directory in versions.map({ "\(debian)/\($0)/bin" }) + onPath where isComplete(directory) {
            return ServerBinaries(directory: directory)
        }
        throw .binariesMissing(version: version)
    }

    private static func isComplete(_ directory: String) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)")
        }
    }
}
