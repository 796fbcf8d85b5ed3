internal import Foundation
internal import ThrongJournal

/// The files that a new data directory needs and that no database has.
///
/// Some files are left out. No copy of the journal, the keys of windows or kept flushes may outlive the original. The
/// meaning of the journal's cells is worth nothing without the journal, and PostgreSQL knows it for all that it counts.
/// The daemon's identity belongs to the journal.
package struct HouseFiles: Sendable {
    private let dataPath: String

    package init(dataPath: String) { self.dataPath = dataPath }

    package struct One: Sendable, Hashable {
        /// Its path in the data directory.
        package let path: String
        package let bytes: [UInt8]

        package var app: String {
            guard path.hasPrefix("plans/"), let dot = path.lastIndex(of: ".") else { return BackupKeyName.house }
            return String(path[..<dot].dropFirst("plans/".count))
        }
    }

    private static let single = [
        "installation.secret", "backup.recovery", "gateway.secret", "signing/key.pem", "signing/keys.json",
        "app-keys",
    ]
    private static let folders = ["plans": [".yaml", ".path"], "secrets": [""]]

    /// Returns whether a path is one of such a file.
    package static func isOne(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if single.contains(path) { return true }
        guard parts.count == 2, let endings = folders[String(parts[0])], !parts[1].isEmpty, !parts[1].hasPrefix(".")
        else { return false }
        return endings.contains { parts[1].hasSuffix($0) }
    }

    package func read() throws(BackupError) -> [One] {
        var paths = Self.single
        for folder in Self.folders.keys {
            let path = "\(dataPath)/\(folder)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            do {
                paths += try FileManager.default.contentsOfDirectory(atPath: path).map { "\(folder)/\($0)" }
            } catch {
                throw .system(call: "read", file: path, code: "it can't be read")
            }
        }
        var files: [One] = []
        for path in paths.sorted() where Self.isOne(path) {
            let file = "\(dataPath)/\(path)"
            guard FileManager.default.fileExists(atPath: file) else { continue }
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw .system(call: "read", file: file, code: "it can't be read")
            }
            files.append(One(path: path, bytes: Array(bytes)))
        }
        return files
    }

    /// Writes a file, for its owner only.
    package func write(_ file: One) throws(BackupError) {
        let path = "\(dataPath)/\(file.path)"
        if let slash = path.lastIndex(of: "/"), file.path.contains("/") {
            guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", path) }
        }
        let new = try NewFile(path)
        try new.write(file.bytes)
        try new.finish()
    }
}
