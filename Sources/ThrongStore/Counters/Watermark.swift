package import ThrongCounting

/// What PostgreSQL says of a daemon.
package struct Watermark: Sendable, Hashable {
    /// Everything that the daemon journalled up to here is in the counters.
    package let position: JournalPosition
    /// Grows with every attachment; only the process of the last one may flush.
    package let fence: Int64
    /// The lock of the process that attached last; nil where it has given its place back.
    package let holder: String?
    /// The fence of who waits to take the place, negative once the holder has heard of it; nil where nobody waits.
    package let claim: Int64?

    /// The fence of who waits, heard of or not; 0 where nobody does.
    package var claimed: Int64 { claim.map { abs($0) } ?? 0 }

    /// Puts a watermark together.
    package init(position: JournalPosition, fence: Int64, holder: String? = nil, claim: Int64? = nil) {
        self.position = position
        self.fence = fence
        self.holder = holder
        self.claim = claim
    }
}
