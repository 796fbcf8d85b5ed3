import Foundation
import ThrongChance

/// By what releases choose between equally useful numbers, so that a second run decides alike.
enum ReleaseSecret {
    /// The variable of the environment that names its file.
    static let variable = "THRONG_RELEASE_SECRET"

    /// The file's name in a data directory.
    static let name = "installation.secret"

    /// The secret of the file that the environment names, or else of a data directory, where it is made if there is none; nil
    /// where there is no such directory.
    ///
    /// - Throws: `TieSecretError`.
    static func find(dataPath: String) throws -> TieSecret? {
        if let path = ProcessInfo.processInfo.environment[variable] { return try TieSecret.kept(at: path) }
        guard FileManager.default.fileExists(atPath: dataPath) else { return nil }
        return try TieSecret.kept(at: dataPath + "/" + name)
    }
}
