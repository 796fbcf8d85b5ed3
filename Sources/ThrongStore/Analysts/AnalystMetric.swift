package import ThrongPlan

/// One layout of a metric of which something is released, as `analyst.metrics` has it.
package struct AnalystMetric: Sendable, Hashable {
    /// Its app.
    package let app: AppName
    /// Its name.
    package let metric: MetricName
    /// Which layout of it, from 1.
    package let version: Int64
    /// Whether new releases have this layout.
    package let isCurrent: Bool
    /// The view with its numbers.
    package let view: String
    /// Where its days begin: a name from the IANA time zone database.
    package let timeZone: String
    /// Its dimensions in column order.
    package let dimensions: [DimensionName]
    /// The names of its sums in column order.
    package let sums: [String]
    /// What is released, one entry a kind of period, the shortest first.
    package let spans: [Span]

    /// The releases of one kind of period.
    package struct Span: Sendable, Hashable {
        /// hour, day, week or month.
        package let kind: PeriodKind
        /// How many periods are released.
        package let periods: Int64
        /// First second of the first one. Unit: Unix seconds.
        package let start: Int64
        /// First second after the last one. Unit: Unix seconds.
        package let end: Int64
    }
}
