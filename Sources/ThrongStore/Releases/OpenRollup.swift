package import ThrongPlan

/// A coarser period of which parts were released and that is to be released itself.
package struct OpenRollup: Sendable, Hashable {
    /// What its parts' counters mean.
    package let layout: MetricLayout
    /// What it covers.
    package let period: Period
    /// Whether one of its parts still waits for its own release.
    package let hasOpenParts: Bool
}
