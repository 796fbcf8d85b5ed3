public import ThrongPlan

/// A metric that counts some of the same events as the one that is decided: what was counted, and what everybody has of
/// it.
///
/// One a layout: a metric that was laid out anew within the time has two.
public struct TiedMetric: Sendable, Hashable {
    /// Which events.
    public let counted: CountedEvents
    /// What its cells mean.
    public let layout: MetricLayout
    /// Its stored periods within the time, released or not.
    public let parts: [StoredCube]
    /// What was published about them.
    public let releases: [Release]
    /// Whether all of that is still there. Age may have taken published numbers or raw counters.
    public let isWhole: Bool

    /// Puts one together.
    public init(
        counted: CountedEvents, layout: MetricLayout, parts: [StoredCube], releases: [Release], isWhole: Bool = true
    ) {
        self.counted = counted
        self.layout = layout
        self.parts = parts.sorted { $0.period.start < $1.period.start }
        self.releases = releases
        self.isWhole = isWhole
    }
}
