internal import Foundation
package import ThrongFiles

/// The file in a data directory that has the keys of apps: `app-keys`, a ``KeptFile`` of JSON, for its owner's eyes.
///
/// Commands change it, one after another, each as a whole; a daemon that runs looks at it again and again.
package struct AppKeyFile: Sendable, Hashable {
    /// Its name in a data directory.
    package static let name = "app-keys"

    /// Where it is.
    package let path: String
    private let folder: String

    /// Names the file of a data directory.
    package init(dataPath: String) {
        folder = dataPath
        path = dataPath + "/" + Self.name
    }

    /// What is in it; nothing where there is none.
    ///
    /// - Throws: ``AppKeyError``.
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

    /// Changes what is in it; nobody else does meanwhile.
    ///
    /// - Throws: ``AppKeyError``.
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

    /// What a look at the file's facts can tell of whether it has changed.
    package struct Standing: Sendable, Hashable {
        private let inode: UInt64
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        /// Nil where there is no such file.
        package init?(of path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
        }
    }

    /// There with all of it, or as it was.
    private func replace(with bytes: [UInt8], in folder: Int32) throws(AppKeyError) {
        let draft = path + ".new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unwritable(path: path, code: errno) }
        var facts = stat()
        // What root makes in somebody's folder is theirs: a daemon that runs as its owner has to read it.
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

/// Why keys of apps can't be read or changed.
package enum AppKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such data directory.
    case noFolder(path: String, code: Int32)
    /// The file is damaged, or something else.
    case damaged(FileDamage)
    /// The file can't be read.
    case unreadable(path: String, code: Int32)
    /// The file can't be written.
    case unwritable(path: String, code: Int32)

    /// What was found and what to do.
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
