public import ThrongPlan

/// A period of one layout that has counters and no release yet.
public struct OpenPeriod: Sendable, Hashable {
    /// What its counters mean.
    public let layout: MetricLayout
    /// What they cover.
    public let period: Period

    /// Puts the pair together.
    public init(layout: MetricLayout, period: Period) {
        self.layout = layout
        self.period = period
    }
}
