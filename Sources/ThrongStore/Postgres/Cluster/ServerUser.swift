internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// The user that the server runs as: the one that runs Throng, or `postgres` for root, which PostgreSQL refuses.
struct ServerUser: Sendable, Hashable {
    /// The start of a command that runs it as this user; empty where nothing needs to change.
    let prefix: [String]
    /// Its name, for messages.
    let name: String
    let user: UInt32
    let group: UInt32

    /// Decides by the user that this process runs as.
    static func current() throws(ClusterError) -> ServerUser {
        guard geteuid() == 0 else {
            return ServerUser(prefix: [], name: "user \(geteuid())", user: geteuid(), group: getegid())
        }
        let name = "postgres"
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw .userMissing(name: name)
        }
        return ServerUser(
            prefix: ["/usr/bin/setpriv", "--reuid=\(name)", "--regid=\(entry.pw_gid)", "--init-groups", "--"],
            name: name, user: entry.pw_uid, group: entry.pw_gid)
    }

    /// Works on files with this user's rights and no others, on a thread of its own. The server's user may have put
    /// links there, and this process must not follow them as root.
    func touchingFiles<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: outcome(of: work)) }
        }
    }

    /// Does work with these rights; blocks until it is done.
    ///
    /// The thread with these rights ends without resuming a task. A thread that the system creates for a task keeps the
    /// rights of the thread that caused it, and would later be refused this process's own files.
    func outcome<Value: Sendable>(of work: @escaping @Sendable () throws -> Value) -> Result<Value, any Error> {
        let found = Mutex<Result<Value, any Error>?>(nil)
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let outcome = Result {
                guard geteuid() != 0 || throng_touch_files_as(user, group) == 0 else {
                    throw ClusterError.rightsKept(user: name)
                }
                return try work()
            }
            found.withLock { $0 = outcome }
            end.signal()
        }
        end.wait()
        return found.withLock { $0 } ?? .failure(ClusterError.rightsKept(user: name))
    }

    /// Finds the first directory on the way to `path` that this user can't enter, by owner, group and mode.
    func obstacle(to path: String) -> String? {
        var walked = ""
        for part in path.split(separator: "/") {
            walked += "/\(part)"
            var facts = stat()
            guard stat(walked, &facts) == 0 else { return walked }
            let needed: mode_t = facts.st_uid == user ? 0o100 : facts.st_gid == group ? 0o010 : 0o001
            if facts.st_mode & needed == 0 { return walked }
        }
        return nil
    }
}
