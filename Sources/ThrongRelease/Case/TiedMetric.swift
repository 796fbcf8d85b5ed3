package import ThrongPlan

/// A metric that counts some of the same events as the one that is decided: what was counted, and what everybody has of
/// it.
///
/// One a layout: a metric that was laid out anew within the time has two.
package struct TiedMetric: Sendable, Hashable {
    /// Which events.
    package let counted: CountedEvents
    /// What its cells mean.
    package let layout: MetricLayout
    /// Its stored periods within the time, released or not.
    package let parts: [StoredCube]
    /// What was published about them.
    package let releases: [Release]
    /// Whether all of that is still there. Age may have taken published numbers or raw counters.
    package let isWhole: Bool

    /// Puts one together.
    package init(
        counted: CountedEvents, layout: MetricLayout, parts: [StoredCube], releases: [Release], isWhole: Bool = true
    ) {
        self.counted = counted
        self.layout = layout
        self.parts = parts.sorted { $0.period.start < $1.period.start }
        self.releases = releases
        self.isWhole = isWhole
    }
}
