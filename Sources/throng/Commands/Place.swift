import ArgumentParser
import Foundation
import ThrongPlan
import ThrongStore

/// Where the data is: a data directory with its private PostgreSQL, or a PostgreSQL of the operator's.
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
