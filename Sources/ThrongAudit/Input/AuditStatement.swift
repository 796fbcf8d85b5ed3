/// One published fact: a combination of sums of leaves lies between two bounds.
///
/// A plain number has one term with coefficient 1 and both bounds equal to its value. A rounded quotient v ± h of a
/// numerator over a denominator is two statements, `numerator − (v + h) · denominator ≤ 0` and
/// `numerator − (v − h) · denominator ≥ 0`, scaled to whole coefficients.
public struct AuditStatement: Hashable, Sendable, Codable {
    /// Where it was read: a file, a release.
    public let source: String
    /// What was printed, for people.
    public let text: String
    /// The app.
    public let app: String
    /// What is combined.
    public let terms: [Term]
    /// Nil is no bound. Unit: the measure's, times the coefficients.
    public let lower: Int64?
    /// Nil is no bound. Unit: the measure's, times the coefficients.
    public let upper: Int64?

    /// One sum of leaves.
    public struct Term: Hashable, Sendable, Codable {
        /// A whole number.
        public let coefficient: Int64
        /// The metric's name.
        public let metric: String
        /// What is counted.
        public let measure: AuditMeasure
        /// Over which leaves.
        public var region: AuditRegion

        /// A term.
        public init(coefficient: Int64 = 1, metric: String, measure: AuditMeasure, region: AuditRegion) {
            self.coefficient = coefficient
            self.metric = metric
            self.measure = measure
            self.region = region
        }
    }

    /// A statement.
    public init(source: String, text: String, app: String, terms: [Term], lower: Int64?, upper: Int64?) {
        self.source = source
        self.text = text
        self.app = app
        self.terms = terms
        self.lower = lower
        self.upper = upper
    }

    /// A plain published number.
    public init(
        source: String, app: String, metric: String, measure: AuditMeasure = .count, region: AuditRegion, value: Int64
    ) {
        self.init(
            source: source, text: "\(metric) \(measure) of \(region) = \(value)", app: app,
            terms: [Term(metric: metric, measure: measure, region: region)], lower: value, upper: value)
    }

    /// The value, where it is a plain number.
    var plainValue: Int64? { terms.count == 1 && terms[0].coefficient == 1 && lower == upper ? lower : nil }

    /// The same fact about other leaves.
    func with(terms: [Term]) -> AuditStatement {
        AuditStatement(source: source, text: text, app: app, terms: terms, lower: lower, upper: upper)
    }
}
