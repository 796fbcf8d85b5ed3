internal import CLinux

/// The settings for memory that the C library keeps after it was freed.
enum Allocator {
    private static let mappedBytes: CInt = 1 << 20
    private static let heaps: CInt = 4

    /// Makes the C library give the tables of a flush back to the system then, so that memory follows open windows.
    ///
    /// By default glibc raises the size from which a block has pages of its own with each such block that is freed (to
    /// 32 MiB), and has eight heaps for each core. Memory then follows the largest flush that each of them ever saw.
    static func settle() { throng_settle_allocator(mappedBytes, heaps) }
}
