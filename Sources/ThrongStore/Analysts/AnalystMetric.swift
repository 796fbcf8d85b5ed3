public import ThrongPlan

/// One layout of a metric of which something is released, as `analyst.metrics` has it.
public struct AnalystMetric: Sendable, Hashable {
    /// Its app.
    public let app: AppName
    /// Its name.
    public let metric: MetricName
    /// Which layout of it, from 1.
    public let version: Int64
    /// Whether new releases have this layout.
    public let isCurrent: Bool
    /// The view with its numbers.
    public let view: String
    /// Where its days begin: a name from the IANA time zone database.
    public let timeZone: String
    /// Its dimensions in column order.
    public let dimensions: [DimensionName]
    /// The names of its sums in column order.
    public let sums: [String]
    /// What is released, one entry a kind of period, the shortest first.
    public let spans: [Span]

    /// The releases of one kind of period.
    public struct Span: Sendable, Hashable {
        /// hour, day, week or month.
        public let kind: PeriodKind
        /// How many periods are released.
        public let periods: Int64
        /// First second of the first one. Unit: Unix seconds.
        public let start: Int64
        /// First second after the last one. Unit: Unix seconds.
        public let end: Int64
    }
}
