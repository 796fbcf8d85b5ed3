internal import Foundation
internal import ThrongJournal
internal import ThrongSystem

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

    private static let kept: [String: FileKind] = [
        "installation.secret": .installationSecret, "backup.recovery": .recoveryKey, "gateway.secret": .gatewaySecret,
        "app-keys": .appKeys,
    ]
    private static let single = kept.keys + ["signing/key.pem", "signing/keys.json"]
    private static let folders = ["plans": [".yaml", ".path"], "secrets": [""]]

    /// Returns whether a path is one of such a file.
    package static func isOne(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if single.contains(path) { return true }
        guard parts.count == 2, let endings = folders[String(parts[0])], !parts[1].isEmpty, !parts[1].hasPrefix(".")
        else { return false }
        return endings.contains { parts[1].hasSuffix($0) }
    }

    /// Returns all files; throws ``BackupError/lost(_:)`` if one is damaged.
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
            guard KeptFile.isThere(file) else { continue }
            if let kind = Self.kept[path] {
                // A damaged file would take the good one's place in every copy.
                do throws(FileDamage) {
                    let content = try KeptFile.content(at: file, as: kind)
                    files.append(One(path: path, bytes: KeptFile.bytes(content, as: kind)))
                } catch { throw .lost(error) }
            } else if let bytes = FileManager.default.contents(atPath: file) {
                files.append(One(path: path, bytes: Array(bytes)))
            } else {
                throw .system(call: "read", file: file, code: "it can't be read")
            }
        }
        return files
    }

    /// Writes a file, for its owner only.
    package func write(_ file: One) throws(BackupError) {
        let path = "\(dataPath)/\(file.path)"
        if let slash = path.lastIndex(of: "/"), file.path.contains("/") {
            guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", path) }
        }
        try BackupError.ofFile { () throws(FileFault) in
            let new = try NewFile(path)
            try new.write(file.bytes)
            try new.finish()
        }
    }
}

extension BackupError {
    /// Does something with files, whose failure is a backup's.
    static func ofFile<Value>(_ work: () throws(FileFault) -> Value) throws(BackupError) -> Value {
        do throws(FileFault) { return try work() } catch {
            switch error {
            case .system(_, let file, EEXIST): throw .exists(file: file)
            case .system(let call, let file, let code):
                throw .system(call: call, file: file, code: String(cString: strerror(code)))
            }
        }
    }

    static func last(_ call: String, _ file: String) -> BackupError {
        .system(call: call, file: file, code: String(cString: strerror(errno)))
    }
}
