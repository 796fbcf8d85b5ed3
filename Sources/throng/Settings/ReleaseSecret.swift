import Foundation
import ThrongChance

/// The secret that releases draw their noise from, so that the same question has the same draw.
enum ReleaseSecret {
    /// The file's name in a data directory.
    static let name = "installation.secret"

    /// The secret of the file that the environment or the machine's settings name, or else of a data directory, where
    /// it is made if there is none; nil where there is no such directory.
    ///
    /// - Throws: `TieSecretError`; `ValidationError` where the settings can't be read.
    static func find(dataPath: String) throws -> TieSecret? {
        if let value = try Settings.ofMachine().value(of: .releaseSecret) { return try TieSecret.kept(at: value.text) }
        guard FileManager.default.fileExists(atPath: dataPath) else { return nil }
        return try TieSecret.kept(at: dataPath + "/" + name)
    }
}
