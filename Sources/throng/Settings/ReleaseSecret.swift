import Foundation
import ThrongSystem

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
