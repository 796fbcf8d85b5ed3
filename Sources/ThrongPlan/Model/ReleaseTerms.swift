/// What a plan asks of a metric's releases beyond what its layout says.
///
/// Kept with each layout, so that one that the plan no longer has is released under the terms under which it was counted.
public struct ReleaseTerms: Sendable, Hashable {
    /// How many devices a published number stands for.
    public let threshold: Threshold
    /// The dimensions over which no shown group may be known to sit in one bucket, ascending.
    public let sensitive: [DimensionName]
    /// How far around a withheld number an interval must reach, and the p of the p % rule.
    public let protection: Protection

    /// Puts terms together.
    public init(threshold: Threshold, sensitive: [DimensionName] = [], protection: Protection = .standard) {
        self.threshold = threshold
        self.sensitive = Set(sensitive).sorted()
        self.protection = protection
    }

    /// What satisfies both.
    public func stricter(with other: ReleaseTerms) -> ReleaseTerms {
        ReleaseTerms(
            threshold: max(threshold, other.threshold), sensitive: sensitive + other.sensitive,
            protection: max(protection, other.protection))
    }
}

extension Plan {
    /// What this plan asks of a metric's releases; what tied metrics ask for is part of it.
    public func releaseTerms(of metric: Metric) -> ReleaseTerms {
        ReleaseTerms(
            threshold: releaseThreshold(of: metric), sensitive: sensitiveDimensions(of: metric),
            protection: metric.protection)
    }
}
