internal import ThrongNoise

/// The instants of a noisy release between which a process may die.
enum NoiseStep: Sendable {
    /// The period's counters change no more.
    case closed
    /// The cost is on disk, nothing is drawn.
    case reserved
    /// The values are in memory and nowhere else.
    case drawn(NoiseDraw)
    /// The values are on disk.
    case stored
    /// They have left the house.
    case published
}
