internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// Runs one of PostgreSQL's programs as the server's user.
struct ServerCommand: Sendable {
    let user: ServerUser

    /// The most of a program's output that an error carries. Unit: characters.
    private static let longestOutput = 2000
    /// The environment of the programs.
    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

    /// Runs a program to its end; cancelling the task ends it.
    ///
    /// - Throws: ``ClusterError/commandFailed(program:status:output:)`` where its status is not 0.
    func run(_ program: String, _ arguments: [String]) async throws {
        let (status, output) = try await outcome(of: program, arguments)
        guard status == 0 else {
            throw ClusterError.commandFailed(
                program: Self.name(of: program),
                status: Int(status),
                output: output.suffix(Self.longestOutput).split(whereSeparator: \.isNewline).joined(separator: "; "))
        }
    }

    /// Runs a program to its end on a thread of its own and returns its exit status, where 128 and more are signals,
    /// and its output.
    ///
    /// Foundation's `Process` does not serve: it takes a program for running until the last copy of a descriptor is
    /// closed, and the server that pg_ctl leaves behind keeps one open. For the same reason the output goes to a file,
    /// not a pipe. The file has no name, so that no other can be put in its place.
    private func outcome(of program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        // The server's user may not be able to enter this process's working directory.
        let command = ["/usr/bin/env", "-C", "/"] + user.prefix + [program] + arguments
        let child = Child()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try Self.spawnAndWait(command, as: child) })
                }
            }
        } onCancel: {
            child.end()
        }
    }

    /// The program under way, which alone can be ended through this.
    private final class Child: Sendable {
        private let state = Mutex<(id: pid_t?, isUnwanted: Bool)>((nil, false))

        func began(_ id: pid_t) {
            state.withLock { state in
                state.id = id
                if state.isUnwanted { kill(id, SIGTERM) }
            }
        }

        func end() {
            state.withLock { state in
                state.isUnwanted = true
                if let id = state.id { kill(id, SIGTERM) }
            }
        }

        /// Waits for its end; until then no other process gets its id.
        func status() -> Int32? {
            guard let id = state.withLock({ $0.id }) else { return nil }
            var facts = siginfo_t()
            while waitid(P_PID, id_t(id), &facts, WEXITED | WNOWAIT) < 0 {
                guard errno == EINTR else { return nil }
            }
            return state.withLock { state in
                state.id = nil
                var status: Int32 = 0
                return waitpid(id, &status, 0) == id ? status : nil
            }
        }
    }

    private static func spawnAndWait(
        _ command: [String], as running: Child
    ) throws -> (status: Int32, output: String) {
        let output = throng_nameless_file()
        guard output >= 0 else {
            throw ClusterError.commandFailed(
                program: name(of: command[0]), status: Int(errno), output: String(cString: strerror(errno)))
        }
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // The server outlives this process: it must not keep this process's journal, listening sockets or locks open.
        for descriptor in try openDescriptors() where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that this process ignores or blocks reach the server again.
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let arguments = command.map { strdup($0) } + [nil]
        let environment = environment.map { strdup($0) } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var child = pid_t()
        let failure = posix_spawn(&child, command[0], &actions, &attributes, arguments, environment)
        guard failure == 0 else {
            throw ClusterError.commandFailed(
                program: name(of: command[0]), status: Int(failure), output: String(cString: strerror(failure)))
        }
        running.began(child)
        guard let status = running.status() else {
            throw ClusterError.commandFailed(
                program: name(of: command[0]), status: Int(errno), output: String(cString: strerror(errno)))
        }
        // These are WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
        return (status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f), text(of: output))
    }

    /// Returns the text of a file, from its beginning; at most 64 KiB.
    private static func text(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Returns this process's descriptors, and some that another thread may open before the program starts.
    private static func openDescriptors() throws -> Range<Int32> {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        return 0..<(open.max() ?? 2) + 64
    }

    private static func name(of program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? program
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
