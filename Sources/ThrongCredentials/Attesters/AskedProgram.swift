internal import CLinux
internal import Glibc

/// A program that is asked on its standard input and answers on its standard output, in a process group of its own, none of
/// which outlives it.
struct AskedProgram: Sendable {
    /// The program's path and its arguments.
    let command: [String]
    /// How long it may take.
    let limit: Duration

    /// Runs it to its end. Blocks this thread.
    ///
    /// - Returns: its exit status, 128 and more for signals; and what it wrote, of which no more than an answer has is read.
    func answer(to question: [UInt8]) throws(AttesterError) -> (status: Int32, output: [UInt8]) {
        let (input, output) = (throng_nameless_file(), throng_nameless_file())
        defer {
            for file in [input, output] where file >= 0 { close(file) }
        }
        guard input >= 0, output >= 0,
            question.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == question.count,
            lseek(input, 0, SEEK_SET) == 0
        else { throw .unavailable(reason: "there is no memory for a program's input") }
        let child = try spawned(input, output)
        // Whatever it has started goes with it.
        defer { kill(-child, SIGKILL) }
        let deadline = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child {
                var bytes = [UInt8](repeating: 0, count: AttesterAnswer.longest)
                let count = bytes.withUnsafeMutableBytes { pread(output, $0.baseAddress, $0.count, 0) }
                // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
                let code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
                return (code, Array(bytes.prefix(max(count, 0))))
            }
            let isLate = ContinuousClock.now >= deadline
            guard ended == 0 || ended < 0 && errno == EINTR, !isLate else {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                throw .unavailable(reason: isLate ? "the program took too long" : "the program was lost")
            }
            usleep(2000)
        }
    }

    /// Starts it with no descriptor of this process but the two, with no environment but a path, and with signals as if a shell
    /// had started it.
    private func spawned(_ input: Int32, _ output: Int32) throws(AttesterError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        posix_spawn_file_actions_addchdir_np(&actions, "/")
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
        let surroundings = [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil]
        defer { (arguments + surroundings).forEach { free($0) } }
        var child = pid_t()
        let failure = posix_spawn(&child, command[0], &actions, &attributes, arguments, surroundings)
        guard failure == 0 else {
            throw .unavailable(reason: "\(command[0]) can't be started (\(String(cString: strerror(failure))))")
        }
        return child
    }
}
