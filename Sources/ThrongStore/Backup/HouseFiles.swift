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

/// A new file, which gets its name only when it is whole and on disk.
final class NewFile {
    private let path: String
    private let descriptor: Int32
    private var isWhole = false

    private var beside: String { path + ".part" }

    /// Creates a file for its owner only, in the place of one that was left unfinished; throws where the name is taken.
    convenience init(_ path: String) throws(BackupError) {
        guard access(path, F_OK) != 0 else { throw .exists(file: path) }
        try self.init(over: path)
    }

    deinit {
        close(descriptor)
        if !isWhole { unlink(beside) }
    }

    func write(_ bytes: [UInt8]) throws(BackupError) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("write", beside) }
            offset += count
        }
    }

    /// Gives the file its name, unless another file has taken that.
    func finish() throws(BackupError) {
        try sync()
        FaultPoint.reached("before_file_named")
        guard link(beside, path) == 0 else { throw errno == EEXIST ? .exists(file: path) : .last("link", path) }
        try named()
        unlink(beside)
    }

    /// Gives the file its name in the place of an older one. The older one is overwritten: its content may be deleted
    /// data.
    func finishOver() throws(BackupError) {
        try sync()
        let old = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard old >= 0 || errno == ENOENT else { throw .last("open", path) }
        guard rename(beside, path) == 0 else { throw .last("rename", path) }
        try named()
        guard old >= 0 else { return }
        defer { close(old) }
        var facts = stat()
        guard fstat(old, &facts) == 0 else { throw .last("fstat", path) }
        let blank = [UInt8](repeating: 0, count: Int(facts.st_size))
        guard pwrite(old, blank, blank.count, 0) == blank.count, fsync(old) == 0 else { throw .last("write", path) }
    }

    /// Creates a file that replaces an older one of its name.
    init(over path: String) throws(BackupError) {
        self.path = path
        unlink(path + ".part")
        descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", path + ".part") }
    }

    private func sync() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw .last("fsync", beside) }
    }

    private func named() throws(BackupError) {
        isWhole = true
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let open = Foundation.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard open >= 0 else { throw .last("open", folder) }
        defer { close(open) }
        guard fsync(open) == 0 else { throw .last("fsync", folder) }
    }
}

extension BackupError {
    static func last(_ call: String, _ file: String) -> BackupError {
        .system(call: call, file: file, code: String(cString: strerror(errno)))
    }
}
