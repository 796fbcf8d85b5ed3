internal import Foundation
internal import Glibc

/// Runs one of PostgreSQL's programs as the server's user.
struct ServerCommand: Sendable {
    let user: ServerUser
    let paths: ClusterPaths

    /// Unit: characters. How much of a program's output an error carries.
    private static let longestOutput = 2000
    /// What the programs see of the environment.
    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

    /// Runs a program to its end.
    ///
    /// - Throws: ``ClusterError/commandFailed(program:status:output:)`` where its status is not 0.
    func run(_ program: String, _ arguments: [String]) async throws {
        let status = try await status(of: program, arguments)
        guard status == 0 else {
            let output = FileManager.default.contents(atPath: paths.commandOutput) ?? Data()
            throw ClusterError.commandFailed(
                program: Self.name(of: program),
                status: Int(status),
                output: String(decoding: output, as: UTF8.self).suffix(Self.longestOutput)
                    .split(whereSeparator: \.isNewline).joined(separator: "; "))
        }
    }

    /// Runs a program to its end on a thread of its own and returns its exit status; 128 and more are signals.
    ///
    /// Not Foundation's `Process`: that takes a program for running until the last copy of a descriptor is closed which
    /// the server, left behind by pg_ctl, keeps open. For the same reason the output goes to a file, not a pipe.
    private func status(of program: String, _ arguments: [String]) async throws -> Int32 {
        // The server's user may not be able to enter this process's working directory.
        let command = ["/usr/bin/env", "-C", "/"] + user.prefix + [program] + arguments
        let output = paths.commandOutput
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.spawnAndWait(command, output: output) })
            }
        }
    }

    private static func spawnAndWait(_ command: [String], output: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The server outlives this process: it must not hold its journal, its listening sockets or its locks open.
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
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else {
                throw ClusterError.commandFailed(
                    program: name(of: command[0]), status: Int(errno), output: String(cString: strerror(errno)))
            }
        }
        // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    /// The descriptors of this process, and some that another thread may open before the program starts.
    private static func openDescriptors() throws -> Range<Int32> {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        return 0..<(open.max() ?? 2) + 64
    }

    private static func name(of program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? program
    }
}
