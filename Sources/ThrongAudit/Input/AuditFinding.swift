/// Something that the attacker found.
package struct AuditFinding: Sendable, Codable, Hashable {
    /// What sort.
    package let kind: Kind
    /// How bad.
    package let severity: Severity
    /// The app.
    package let app: String
    /// The metric.
    package let metric: String
    /// The measure.
    package let measure: AuditMeasure
    /// Which withheld cell, or which published number.
    package let target: String
    /// Smallest value consistent with everything published. Unit: the measure's.
    package let lower: Int64?
    /// Largest value consistent with everything published; nil is unbounded. Unit: the measure's.
    package let upper: Int64?
    /// k, or 0 where no threshold plays a part.
    package let threshold: Int64
    /// How it was done.
    package let certificates: [AuditCertificate]
    /// In words.
    package let explanation: String

    /// Sorts of findings.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// The value is the only one possible.
        case exact
        /// The value is proved to be under k.
        case bounded
        /// The interval around the value is within p %.
        case close
        /// The value of a withheld cell is the only one possible, and at least k.
        case derivable
        /// The largest contribution is known to an insider within p %.
        case dominance
        /// What two published numbers differ by is known, no metric counts it, and nothing proves that it stands for k
        /// devices.
        case uncounted
        /// A sum of two values was published, of which too few events have one.
        case flag
        /// A number under k was published.
        case belowThreshold
        /// A zero was published, which tells zeros from small numbers.
        case zeroShown
        /// Withheld rows differ in form, order or presence.
        case marker
        /// Published numbers contradict each other: no table fits them.
        case contradiction
    }

    /// How bad a finding is.
    package enum Severity: String, Sendable, Codable {
        /// The audit fails.
        case pin
        /// Worth a look.
        case notice
    }

    /// A finding.
    package init(
        kind: Kind, severity: Severity, app: String, metric: String, measure: AuditMeasure, target: String,
        lower: Int64?, upper: Int64?, threshold: Int64, certificates: [AuditCertificate], explanation: String
    ) {
        self.kind = kind
        self.severity = severity
        self.app = app
        self.metric = metric
        self.measure = measure
        self.target = target
        self.lower = lower
        self.upper = upper
        self.threshold = threshold
        self.certificates = certificates
        self.explanation = explanation
    }
}

/// How a human redoes what the attacker did: published numbers, each times a coefficient, added up.
package struct AuditCertificate: Sendable, Codable, Hashable {
    /// What the combination proves of the target.
    package let claim: Claim
    /// The combination, sorted by source.
    package let steps: [Step]
    /// Published numbers (mostly zeros) from which it follows that some parts are zero.
    package let zeros: [String]
    /// Rules of the plan that were used as well, such as "clicks ≤ views".
    package let rules: [String]
    /// What the steps add up to, before rounding to a whole number. A fraction is written "7/2".
    package let total: String
    /// Whether the combination was recomputed in exact arithmetic. Where it was not, a search by CBC stands behind it.
    package let isExact: Bool

    /// What a combination proves.
    package enum Claim: String, Sendable, Codable {
        /// The target equals the total.
        case equal
        /// The target is at most the total.
        case atMost
        /// The target is at least the total.
        case atLeast
        /// No combination of whole numbers goes further; found by branch and bound over the listed numbers.
        case integerSearch
    }

    /// A published number and its coefficient.
    package struct Step: Sendable, Codable, Hashable {
        /// "1", "-1", "1/2".
        package let coefficient: String
        /// Where it was published.
        package let source: String
        /// What was published.
        package let number: String
    }
}
