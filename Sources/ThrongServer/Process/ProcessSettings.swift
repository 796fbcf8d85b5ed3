internal import CLinux
internal import Foundation

/// The settings of a process, made once before it takes anything.
enum ProcessSettings {
    private static let mappedBytes: CInt = 1 << 20
    private static let heaps: CInt = 4

    /// Forbids core files, and other processes of the same user to read the memory: identifiers pass through it.
    static func forbidCoreFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A core file's limit does not hold for a crash handler behind a pipe; this does.
        _ = throng_forbid_dumps()
    }

    /// Makes the C library give the tables of a flush back to the system then, so that memory follows open windows.
    ///
    /// By default glibc raises the size from which a block has pages of its own with each such block that is freed (to
    /// 32 MiB), and has eight heaps for each core. Memory then follows the largest flush that each of them ever saw.
    static func settleAllocator() { throng_settle_allocator(mappedBytes, heaps) }
}
