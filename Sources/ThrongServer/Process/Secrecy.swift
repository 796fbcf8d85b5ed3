internal import CLinux
internal import Foundation

/// Keeps this process's memory out of files: identifiers pass through it.
enum Secrecy {
    /// Forbids core files, and other processes of the same user to read the memory.
    static func forbidCoreFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A core file's limit does not hold for a crash handler behind a pipe; this does.
        _ = throng_forbid_dumps()
    }
}
