package import ThrongPlan

/// That a release was made, without its numbers.
package struct ReleaseNote: Sendable, Hashable {
    /// Of which app.
    package let app: AppName
    /// Of which metric.
    package let metric: MetricName
    /// What it covers.
    package let period: Period
    /// When it was made. Unit: Unix seconds.
    package let madeAt: Int64
}
