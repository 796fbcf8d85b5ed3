/// One published fact: a combination of sums of leaves lies between two bounds.
///
/// A plain number has one term with coefficient 1 and both bounds equal to its value. A rounded quotient v ± h of a
/// numerator over a denominator is two statements, `numerator − (v + h) · denominator ≤ 0` and
/// `numerator − (v − h) · denominator ≥ 0`, scaled to whole coefficients.
package struct AuditStatement: Hashable, Sendable, Codable {
    /// Where it was read: a file, a release.
    package let source: String
    /// What was printed, for people.
    package let text: String
    /// The app.
    package let app: String
    /// What is combined.
    package let terms: [Term]
    /// Nil is no bound. Unit: the measure's, times the coefficients.
    package let lower: Int64?
    /// Nil is no bound. Unit: the measure's, times the coefficients.
    package let upper: Int64?

    /// One sum of leaves.
    package struct Term: Hashable, Sendable, Codable {
        /// A whole number.
        package let coefficient: Int64
        /// The metric's name.
        package let metric: String
        /// What is counted.
        package let measure: AuditMeasure
        /// Over which leaves.
        package var region: AuditRegion

        /// A term.
        package init(coefficient: Int64 = 1, metric: String, measure: AuditMeasure, region: AuditRegion) {
            self.coefficient = coefficient
            self.metric = metric
            self.measure = measure
            self.region = region
        }
    }

    /// A statement.
    package init(source: String, text: String, app: String, terms: [Term], lower: Int64?, upper: Int64?) {
        self.source = source
        self.text = text
        self.app = app
        self.terms = terms
        self.lower = lower
        self.upper = upper
    }

    /// A plain published number.
    package init(
        source: String, app: String, metric: String, measure: AuditMeasure = .count, region: AuditRegion, value: Int64
    ) {
        self.init(
            source: source, text: "\(metric) \(measure) of \(region) = \(value)", app: app,
            terms: [Term(metric: metric, measure: measure, region: region)], lower: value, upper: value)
    }

    /// The value, where it is a plain number.
    var plainValue: Int64? { terms.count == 1 && terms[0].coefficient == 1 && lower == upper ? lower : nil }

    /// The value, where it is a number of leaves added up, in one piece or several.
    var wholeValue: Int64? {
        terms.allSatisfy { $0.coefficient == 1 && $0.measure == terms[0].measure } && lower == upper ? lower : nil
    }

    /// The same fact about other leaves.
    func with(terms: [Term]) -> AuditStatement {
        AuditStatement(source: source, text: text, app: app, terms: terms, lower: lower, upper: upper)
    }
}
