/// When checkpoints are written: often enough that a start replays little, and seldom enough that the disk has little to do.
package struct CheckpointPace: Sendable {
    private let least: Int
    private var begunAt = 0
    private var rests = Duration.zero
    private var last = Duration.zero

    /// What checkpoints write in the long run, at most. Unit: bytes a second.
    package static let bytesPerSecond = 16 << 20

    /// - Parameter least: see ``Journal/Options/checkpointBytes``.
    package init(least: Int) { self.least = least }

    /// Whether one is due.
    ///
    /// - Parameters:
    ///   - total: what was journalled so far. Unit: bytes.
    ///   - now: see ``Machine/elapsed``.
    package func isDue(total: Int, now: Duration) -> Bool {
        least > 0 && total - begunAt >= least && now - last >= rests
    }

    /// Notes that one was written, or that none could be.
    ///
    /// - Parameters:
    ///   - total: what was journalled when it was begun. Unit: bytes.
    ///   - size: what it has. Unit: bytes.
    ///   - now: when it was begun; see ``Machine/elapsed``.
    package mutating func note(total: Int, size: Int, now: Duration) {
        begunAt = total
        last = now
        rests = Duration.seconds(1) * (Double(size) / Double(Self.bytesPerSecond))
    }
}
