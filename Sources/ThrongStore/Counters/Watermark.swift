public import ThrongCounting

/// What PostgreSQL says of a daemon.
public struct Watermark: Sendable, Hashable {
    /// Everything that the daemon journalled up to here is in the counters.
    public let position: JournalPosition
    /// Grows with every attachment; only the process of the last one may flush.
    public let fence: Int64

    /// Puts a watermark together.
    public init(position: JournalPosition, fence: Int64) {
        self.position = position
        self.fence = fence
    }
}
