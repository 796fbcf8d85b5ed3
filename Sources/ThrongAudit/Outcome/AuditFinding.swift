/// Something that the attacker found.
public struct AuditFinding: Sendable, Codable, Hashable {
    /// What sort.
    public let kind: Kind
    /// How bad.
    public let severity: Severity
    /// The app.
    public let app: String
    /// The metric.
    public let metric: String
    /// The measure.
    public let measure: AuditMeasure
    /// Which withheld cell, or which published number.
    public let target: String
    /// Smallest value consistent with everything published. Unit: the measure's.
    public let lower: Int64?
    /// Largest value consistent with everything published; nil is unbounded. Unit: the measure's.
    public let upper: Int64?
    /// k, or 0 where no threshold plays a part.
    public let threshold: Int64
    /// How it was done.
    public let certificates: [AuditCertificate]
    /// In words.
    public let explanation: String

    /// Sorts of findings.
    public enum Kind: String, Sendable, Codable, CaseIterable {
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
    public enum Severity: String, Sendable, Codable {
        /// The audit fails.
        case pin
        /// Worth a look.
        case notice
    }

    /// A finding.
    public init(
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
