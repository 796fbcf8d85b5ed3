package import ThrongPlan

/// A period of one layout that has counters and no release yet.
package struct OpenPeriod: Sendable, Hashable {
    /// What its counters mean.
    package let layout: MetricLayout
    /// What they cover.
    package let period: Period

    /// Puts the pair together.
    package init(layout: MetricLayout, period: Period) {
        self.layout = layout
        self.period = period
    }
}
