public import ThrongPlan

/// A coarser period of which parts were released and that is to be released itself.
public struct OpenRollup: Sendable, Hashable {
    /// What its parts' counters mean.
    public let layout: MetricLayout
    /// What it covers.
    public let period: Period
    /// Whether one of its parts still waits for its own release.
    public let hasOpenParts: Bool
}
