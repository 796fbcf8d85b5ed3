internal import Foundation
internal import Glibc

/// The server process that a cluster's `postmaster.pid` names, if it is still that server.
struct ServerProcess: Sendable, Hashable {
    let id: Int32

    /// Finds the running server of a cluster; nil where there is none, or where the file is left over.
    static func running(_ paths: ClusterPaths) -> ServerProcess? {
        guard let id = recorded(paths), isAlive(id), worksIn(paths.data, id) else { return nil }
        return ServerProcess(id: id)
    }

    /// True if the file names a process that is certainly not this cluster's server.
    ///
    /// After kill -9 or a power cut the id may belong to someone else's process, even to another PostgreSQL, which the
    /// server itself would take for a running copy of it.
    static func isLeftOver(_ paths: ClusterPaths) -> Bool {
        guard let id = recorded(paths) else { return false }
        return running(paths) == nil && (!isAlive(id) || workingDirectory(id) != nil)
    }

    /// Reads the id in the file's first line; nil where there is none.
    static func recorded(_ paths: ClusterPaths) -> Int32? {
        // The server's user owns the file: the open must not block if it put something else there.
        let file = open(paths.processFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            .split(whereSeparator: \.isNewline).first.flatMap { Int32($0) }
    }

    /// True if there is such a process and it is not a zombie.
    private static func isAlive(_ id: Int32) -> Bool {
        guard id > 0, let content = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return false }
        // The state follows the name, which stands in parentheses and may itself hold some.
        let rest = String(decoding: content, as: UTF8.self).split(separator: ")").last ?? ""
        return rest.first { $0 != " " } != "Z"
    }

    /// True if the process's working directory is `directory`: a server's is its data directory.
    private static func worksIn(_ directory: String, _ id: Int32) -> Bool {
        var wanted = stat()
        var found = stat()
        return stat(directory, &wanted) == 0 && stat("/proc/\(id)/cwd", &found) == 0
            && wanted.st_dev == found.st_dev && wanted.st_ino == found.st_ino
    }

    private static func workingDirectory(_ id: Int32) -> String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd")
        } catch {
            // It is another user's process: nothing is known about it.
            return nil
        }
    }
}
