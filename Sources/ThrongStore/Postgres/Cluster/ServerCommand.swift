internal import CLinux
internal import Foundation
internal import Glibc
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
        do {
            installed = try FileManager.default.contentsOfDirectory(atPath: debian)
        } catch {
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
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd")
        } catch {
            // It is another user's process: nothing is known about it.
            return nil
        }
    }
}
