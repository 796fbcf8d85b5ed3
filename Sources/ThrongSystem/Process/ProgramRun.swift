// Of the modules whose headers bring sigset_t, the compiler takes it for the first one's.
internal import CCurl
internal import CLinux
internal import Glibc

/// A program that is run to its end, in a process group of its own. No process of the group outlives it.
///
/// The program gets only the descriptors and the environment that it is given. Its signals are as if a shell had
/// started it. No shell reads its arguments.
package struct ProgramRun: Sendable {
    private let command: [String]
    private let environment: [String]
    private let folder: String

    /// - Parameter environment: all that it sees of it: `NAME=value`.
    package init(_ command: [String], environment: [String], folder: String) {
        (self.command, self.environment, self.folder) = (command, environment, folder)
    }

    /// The reason why there is no exit status.
    package enum Failure: Error, Sendable, Hashable {
        /// It could not be started; `errno`.
        case notStarted(code: Int32)
        /// The system does not say what became of it; `errno`.
        case lost(code: Int32)
        /// It took too long, and was ended.
        case tooSlow
    }

    /// Runs the program; blocks this thread. A stream without a descriptor is `/dev/null`.
    ///
    /// - Parameter isWanted: false asks the program to end.
    /// - Returns: its exit status; 128 and more are signals.
    package func status(
        input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil, limit: Duration,
        isWanted: () -> Bool = { true }
    ) throws(Failure) -> Int32 {
        let child = try spawned(input, output, errors)
        // Processes that the program started are killed with it.
        defer { kill(-child, SIGKILL) }
        let deadline = ContinuousClock.now + limit
        var isEnding = false
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child {
                // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
                return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
            }
            guard ended == 0 || errno == EINTR else { throw .lost(code: errno) }
            guard ContinuousClock.now < deadline else {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                throw .tooSlow
            }
            if !isEnding, !isWanted() {
                isEnding = true
                kill(child, SIGTERM)
            }
            usleep(2000)
        }
    }

    private func spawned(_ input: Int32?, _ output: Int32?, _ errors: Int32?) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, given) in [input, output, errors].enumerated() {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, Int32(place))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(place), "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        posix_spawn_file_actions_addchdir_np(&actions, folder)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let arguments = command.map { strdup($0) } + [nil]
        let surroundings = environment.map { strdup($0) } + [nil]
        defer { (arguments + surroundings).forEach { free($0) } }
        var child = pid_t()
        let failure = posix_spawn(&child, command[0], &actions, &attributes, arguments, surroundings)
        guard failure == 0 else { throw .notStarted(code: failure) }
        return child
    }
}
