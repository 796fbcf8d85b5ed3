/// The schedule of checkpoints: often enough that a start replays little, and seldom enough to spare the disk.
package struct CheckpointPace: Sendable {
    private let least: Int
    private var begunAt = 0
    private var rests = Duration.zero
    private var last = Duration.zero

    /// The most that checkpoints write in the long run. Unit: bytes a second.
    package static let bytesPerSecond = 16 << 20

    /// - Parameter least: see ``Journal/Options/checkpointBytes``.
    package init(least: Int) { self.least = least }

    /// True if a checkpoint is due.
    ///
    /// - Parameters:
    ///   - total: the size of the journal so far. Unit: bytes.
    ///   - now: see ``Machine/elapsed``.
    package func isDue(total: Int, now: Duration) -> Bool {
        least > 0 && total - begunAt >= least && now - last >= rests
    }

    /// Notes that a checkpoint was written, or that none could be.
    ///
    /// - Parameters:
    ///   - total: the size of the journal when the checkpoint was begun. Unit: bytes.
    ///   - size: the checkpoint's size. Unit: bytes.
    ///   - now: the time when it was begun; see ``Machine/elapsed``.
    package mutating func note(total: Int, size: Int, now: Duration) {
        begunAt = total
        last = now
        rests = Duration.seconds(1) * (Double(size) / Double(Self.bytesPerSecond))
    }
}
