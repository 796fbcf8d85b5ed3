/// A table that was shown to somebody: every combination of some buckets, published or withheld.
///
/// Combinations without a published number are what the attacker goes for.
public struct AuditFamily: Hashable, Sendable, Codable {
    /// Where it was shown.
    public let source: String
    /// The app.
    public let app: String
    /// The metric.
    public let metric: String
    /// What is shown.
    public let measures: [AuditMeasure]
    /// When.
    public var period: AuditPeriod
    /// How many devices each number has to stand for.
    public let threshold: Int64
    /// One a dimension: the alternatives of a split, or the one alternative of a filter.
    public let axes: [Axis]

    /// One dimension of the table.
    public struct Axis: Hashable, Sendable, Codable {
        /// The dimension's name.
        public let dimension: String
        /// Each entry is the labels that one row adds up.
        public let alternatives: [[String]]

        /// An axis.
        public init(dimension: String, alternatives: [[String]]) {
            self.dimension = dimension
            self.alternatives = alternatives
        }
    }

    /// A table.
    public init(
        source: String, app: String, metric: String, measures: [AuditMeasure], period: AuditPeriod, threshold: Int64,
        axes: [Axis]
    ) {
        self.source = source
        self.app = app
        self.metric = metric
        self.measures = measures
        self.period = period
        self.threshold = threshold
        self.axes = axes.sorted { $0.dimension < $1.dimension }
    }
}
