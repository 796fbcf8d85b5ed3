internal import Foundation
package import ThrongSystem

/// The file of app keys in a data directory: `app-keys`, a ``KeptFile`` of JSON that only its owner may read.
///
/// Commands change it, one after another, each as a whole; a running daemon checks it regularly.
package struct AppKeyFile: Sendable, Hashable {
    /// The file's name in a data directory.
    package static let name = "app-keys"

    package let path: String
    private let folder: String

    package init(dataPath: String) {
        folder = dataPath
        path = dataPath + "/" + Self.name
    }

    /// Returns the keys in the file; none if there is no file.
    package func read() throws(AppKeyError) -> AppKeys {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return AppKeys() }
            throw .unreadable(path: path, code: errno)
        }
        guard facts.st_mode & S_IFMT != S_IFDIR else {
            throw .damaged(FileDamage(path: path, kind: .appKeys, flaw: .directory))
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .unreadable(path: path, code: EACCES)
        }
        let content: [UInt8]
        do throws(FileDamage) {
            content = try KeptFile.content(of: Array(bytes), at: path, as: .appKeys)
        } catch {
            throw .damaged(error)
        }
        guard let keys = AppKeys(json: content) else {
            throw .damaged(FileDamage(path: path, kind: .appKeys, flaw: .content))
        }
        return keys
    }

    /// Changes the keys in the file under a lock that keeps other writers out.
    package func change<Value>(_ body: (inout AppKeys) -> Value) throws(AppKeyError) -> Value {
        let held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard held >= 0 else { throw .noFolder(path: folder, code: errno) }
        defer { close(held) }
        guard flock(held, LOCK_EX) == 0 else { throw .unwritable(path: path, code: errno) }
        var keys = try read()
        let former = keys
        let value = body(&keys)
        guard keys != former else { return value }
        let bytes: [UInt8]
        do { bytes = KeptFile.bytes(try keys.json(), as: .appKeys) } catch {
            throw .unwritable(path: path, code: EINVAL)
        }
        try replace(with: bytes, in: held)
        return value
    }

    /// The facts about a file by which a change of it is noticed.
    package struct Standing: Sendable, Hashable {
        private let inode: UInt64
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        /// Returns nil if there is no such file.
        package init?(of path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
        }
    }

    /// Replaces the file as a whole, or leaves it as it was.
    private func replace(with bytes: [UInt8], in folder: Int32) throws(AppKeyError) {
        let draft = path + ".new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unwritable(path: path, code: errno) }
        var facts = stat()
        // A file that root creates in another user's folder is given to that user: a daemon that runs as that user has to read it.
        let isGiven =
            geteuid() != 0
            || fstat(folder, &facts) == 0 && (facts.st_uid == 0 || fchown(file, facts.st_uid, facts.st_gid) == 0)
        let isKept = isGiven && write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let problem = errno
        close(file)
        guard isKept, rename(draft, path) == 0, fsync(folder) == 0 else {
            let code = isKept ? errno : problem
            unlink(draft)
            throw .unwritable(path: path, code: code)
        }
    }
}

/// The reason why keys of apps can't be read or changed.
package enum AppKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case noFolder(path: String, code: Int32)
    case damaged(FileDamage)
    case unreadable(path: String, code: Int32)
    case unwritable(path: String, code: Int32)

    package var description: String {
        switch self {
        case .noFolder(let path, let code):
            """
            \(path) can't be used as a data directory (\(String(cString: strerror(code)))). Name that of a `throng serve` with \
            --data.
            """
        case .damaged(let damage): damage.description
        case .unreadable(let path, let code):
            "\(path) can't be read (\(String(cString: strerror(code)))). Check its owner and permissions."
        case .unwritable(let path, let code):
            "\(path) can't be written (\(String(cString: strerror(code)))). Check the folder's owner, permissions and room."
        }
    }
}
