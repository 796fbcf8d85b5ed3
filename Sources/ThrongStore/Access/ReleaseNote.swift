public import ThrongPlan

/// That a release was made, without its numbers.
public struct ReleaseNote: Sendable, Hashable {
    /// Of which app.
    public let app: AppName
    /// Of which metric.
    public let metric: MetricName
    /// What it covers.
    public let period: Period
    /// When it was made. Unit: Unix seconds.
    public let madeAt: Int64
}
