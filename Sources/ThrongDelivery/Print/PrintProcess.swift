internal import CLinux
internal import Glibc

/// A program in a process group of its own, none of which outlives it.
struct PrintProcess {
    /// The program's path and its arguments.
    let command: [String]
    /// All that it sees of the environment: `NAME=value`.
    let environment: [String]
    /// Where it works.
    let folder: String
    /// The file that gets what it says.
    let output: String

    /// Runs it to its end and returns its exit status; 128 and more are signals. Blocks this thread.
    ///
    /// - Throws: ``PrintError/tooSlow(program:seconds:)``, ``PrintError/system(call:path:code:)``.
    func run(limit: Duration) throws(PrintError) -> Int32 {
        let child = try spawned()
        // Whatever it has started goes with it.
        defer { kill(-child, SIGKILL) }
        let deadline = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child {
                // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
                return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
            }
            guard ended == 0 || errno == EINTR else { throw .system(call: "waitpid", path: command[0], code: errno) }
            guard ContinuousClock.now < deadline else {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                throw .tooSlow(program: command[0], seconds: limit.components.seconds)
            }
            usleep(20_000)
        }
    }

    /// Starts it with no descriptor of this process, and with signals as if a shell had started it.
    private func spawned() throws(PrintError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
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
        guard failure == 0 else { throw .system(call: "posix_spawn", path: command[0], code: failure) }
        return child
    }
}
