internal import CLinux

/// How the C library keeps memory that was freed.
enum Allocator {
    private static let mappedBytes: CInt = 1 << 20
    private static let heaps: CInt = 4

    /// The tables of a flush go back to the system when it is done, so that memory follows what is open.
    ///
    /// By itself glibc raises the size from which a block is pages of its own with each such block that is freed (to
    /// 32 MiB), and has eight heaps for each core: memory then follows the largest flush that each of them ever saw.
    static func settle() {
        throng_settle_allocator(mappedBytes, heaps)
    }
}
