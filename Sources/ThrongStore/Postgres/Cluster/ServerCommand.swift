internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization
internal import ThrongSystem

/// Runs one of PostgreSQL's programs as the server's user.
struct ServerCommand: Sendable {
    let user: ServerUser

    /// The most of a program's output that an error carries. Unit: characters.
    private static let longestOutput = 2000
    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]
    /// Longer than any of the programs takes: they have limits of their own.
    private static let limit = Duration.seconds(3600)

    /// Runs a program to its end, on a thread of its own; cancelling the task ends it.
    ///
    /// Its output goes to a file, not a pipe: the server that pg_ctl leaves behind keeps a pipe open. The file has no
    /// name, so that no other can be put in its place.
    /// - Throws: ``ClusterError/commandFailed(program:status:output:)`` where its status is not 0.
    func run(_ program: String, _ arguments: [String]) async throws {
        let name = program.split(separator: "/").last.map(String.init) ?? program
        func failed(_ status: Int32, _ output: String? = nil) -> ClusterError {
            .commandFailed(program: name, status: Int(status), output: output ?? String(cString: strerror(status)))
        }
        // The server's user may not be able to enter this process's working directory.
        let run = ProgramRun(user.prefix + [program] + arguments, environment: Self.environment, folder: "/")
        let file = throng_nameless_file()
        guard file >= 0 else { throw failed(errno) }
        defer { close(file) }
        let cancellation = Cancellation()
        let status: Int32
        do {
            status = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread {
                        continuation.resume(
                            with: Result {
                                try run.status(
                                    output: file, errors: file, limit: Self.limit,
                                    isWanted: { !cancellation.isCancelled })
                            })
                    }
                }
            } onCancel: {
                cancellation.cancel(CancellationError())
            }
        } catch ProgramRun.Failure.notStarted(let code), ProgramRun.Failure.lost(let code) { throw failed(code) }
        guard status != 0 else { return }
        let output = Self.text(of: file).suffix(Self.longestOutput)
        throw failed(status, output.split(whereSeparator: \.isNewline).joined(separator: "; "))
    }

    /// Returns the text of a file, from its beginning; at most 64 KiB.
    private static func text(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// The directory of a PostgreSQL server's programs.
struct ServerBinaries: Sendable, Hashable {
    /// The path; it holds initdb, pg_ctl and postgres.
    let directory: String

    /// The folder of Debian's servers, one folder a major version.
    private static let debian = "/usr/lib/postgresql"

    /// Finds a server: of the major version that wrote existing data, else the newest.
    static func find(version: Int?) throws(ClusterError) -> ServerBinaries {
        let installed: [String]
        do { installed = try FileManager.default.contentsOfDirectory(atPath: debian) } catch {
            // The layout is not Debian's: only the PATH is left.
            installed = []
        }
        let versions = installed.compactMap { Int($0) }.sorted(by: >).filter { version == nil || $0 == version }
        let onPath = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for directory in versions.map({ "\(debian)/\($0)/bin" }) + onPath where isComplete(directory) {
            return ServerBinaries(directory: directory)
        }
        throw .binariesMissing(version: version)
    }

    private static func isComplete(_ directory: String) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)")
        }
    }
}

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
        do { return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd") } catch {
            // It is another user's process: nothing is known about it.
            return nil
        }
    }
}

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

/// The files that configure a private cluster, `postgresql.conf` and `pg_hba.conf` here; written anew at every start.
enum ClusterConfiguration {
    static func server(_ paths: ClusterPaths, connections: Int) -> String {
        let values = [
            "$PORT": "\(ClusterPaths.port)", "$CONNECTIONS": "\(connections)", "$ROOT": quoted(paths.root),
            "$LOGS": quoted(paths.logs),
        ]
        return String(decoding: PackageResources.postgresql_conf, as: UTF8.self)
            .replacing(/\$[A-Z]+/) { values[String($0.output)] ?? "" }
    }

    static var access: String { String(decoding: PackageResources.pg_hba_conf, as: UTF8.self) }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}

struct ClusterPaths: Sendable, Hashable {
    /// The directory of the server's user, mode 0700: whoever gets in here may log in.
    let root: String

    var data: String { "\(root)/data" }
    /// The directory that initdb works in; becomes ``data`` once it is complete.
    var unfinishedData: String { "\(root)/data.unfinished" }
    /// The server's log, a file a weekday.
    var logs: String { "\(root)/log" }
    /// The server's process id and more.
    var processFile: String { "\(data)/postmaster.pid" }
    /// The socket, whose name ends in the port by libpq's rule.
    var socket: String { "\(root)/.s.PGSQL.\(Self.port)" }
    /// The lock of the socket, as ``processFile`` is that of the data.
    var socketLock: String { "\(socket).lock" }

    /// The number in the socket's name; nothing listens on a network.
    static let port = 5432
    /// The longest path of a socket: `sun_path` holds 108 bytes, the last of them NUL. Source: unix(7).
    static let longestSocketPath = 107

    func checkLengths() throws(ClusterError) {
        guard socket.utf8.count <= Self.longestSocketPath else {
            throw .socketPathTooLong(path: socket, bytes: socket.utf8.count, limit: Self.longestSocketPath)
        }
    }

    func connectionString(database: String, user: String) -> String {
        let quoted = root.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "host='\(quoted)' port=\(Self.port) dbname=\(database) user=\(user)"
    }
}
