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

    /// True if a checkpoint is due; the total is the journal's so far. Unit: bytes.
    package func isDue(total: Int, now: Duration) -> Bool {
        least > 0 && total - begunAt >= least && now - last >= rests
    }

    /// Notes that a checkpoint of a size was written, or that none could be; total and time are those at its beginning. Unit: bytes.
    package mutating func note(total: Int, size: Int, now: Duration) {
        begunAt = total
        last = now
        rests = Duration.seconds(1) * (Double(size) / Double(Self.bytesPerSecond))
    }
}
