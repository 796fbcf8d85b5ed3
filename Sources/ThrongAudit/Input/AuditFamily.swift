/// A table that was shown to somebody: every combination of some buckets, published or withheld.
///
/// Combinations without a published number are what the attacker goes for.
package struct AuditFamily: Hashable, Sendable, Codable {
    /// Where it was shown.
    package let source: String
    /// The app.
    package let app: String
    /// The metric.
    package let metric: String
    /// What is shown.
    package let measures: [AuditMeasure]
    /// When.
    package var period: AuditPeriod
    /// How many devices each number has to stand for.
    package let threshold: Int64
    /// One a dimension: the alternatives of a split, or the one alternative of a filter.
    package let axes: [Axis]
    /// The metric as its plan calls it, where ``metric`` stands for what several count together.
    package var subject: String
    /// What each cell is made of, instead of ``period``: more than one where a plan was edited within it.
    package var pieces: [AuditRegion]

    /// One dimension of the table.
    package struct Axis: Hashable, Sendable, Codable {
        /// The dimension's name.
        package let dimension: String
        /// Each entry is the labels that one row adds up.
        package let alternatives: [[String]]

        /// An axis.
        package init(dimension: String, alternatives: [[String]]) {
            self.dimension = dimension
            self.alternatives = alternatives
        }
    }

    /// A table.
    package init(
        source: String, app: String, metric: String, measures: [AuditMeasure], period: AuditPeriod, threshold: Int64,
        axes: [Axis], subject: String? = nil, pieces: [AuditRegion] = []
    ) {
        self.source = source
        self.app = app
        self.metric = metric
        self.measures = measures
        self.period = period
        self.threshold = threshold
        self.axes = axes.sorted { $0.dimension < $1.dimension }
        self.subject = subject ?? metric
        self.pieces = pieces
    }
}
