public import ThrongPlan

/// What a release is about: everything that a reader needs to know about its numbers.
public struct ReleaseHeader: Sendable, Hashable, Codable {
    /// What the cells mean; carries app, metric, dimensions and their buckets.
    public let layout: MetricLayout
    /// What the release covers.
    public let period: Period
    /// The plan in force.
    public let plan: PlanVersion
    /// How many devices each number stands for.
    public let threshold: Threshold
    /// Share of events that clients sent: more than 0, at most 1.
    public let sampling: Double
    /// Whether reach is published.
    public let reach: Bool
    /// The margins shown, ascending.
    public let groupings: [Margin]

    /// Puts a header together.
    public init(
        layout: MetricLayout,
        period: Period,
        plan: PlanVersion,
        threshold: Threshold,
        sampling: Double,
        reach: Bool,
        groupings: [Margin]
    ) {
        self.layout = layout
        self.period = period
        self.plan = plan
        self.threshold = threshold
        self.sampling = sampling
        self.reach = reach
        self.groupings = groupings
    }

    /// The header that a plan gives a metric's release.
    public init(plan: Plan, metric: Metric, layout: MetricLayout, period: Period) {
        self.init(
            layout: layout,
            period: period,
            plan: plan.version,
            threshold: metric.threshold,
            sampling: metric.sampling,
            reach: metric.reach,
            groupings: plan.groupings(of: metric))
    }
}
