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
        } catch ProgramRun.Failure.notStarted(let code), ProgramRun.Failure.lost(let code) {
            throw failed(code)
        }
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
