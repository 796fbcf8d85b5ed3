/// How a human redoes what the attacker did: published numbers, each times a coefficient, added up.
public struct AuditCertificate: Sendable, Codable, Hashable {
    /// What the combination proves of the target.
    public let claim: Claim
    /// The combination, sorted by source.
    public let steps: [Step]
    /// Published numbers (mostly zeros) from which it follows that some parts are zero.
    public let zeros: [String]
    /// Rules of the plan that were used as well, such as "clicks ≤ views".
    public let rules: [String]
    /// What the steps add up to, before rounding to a whole number. A fraction is written "7/2".
    public let total: String
    /// Whether the combination was recomputed in exact arithmetic. Where it was not, a search by CBC stands behind it.
    public let isExact: Bool

    /// What a combination proves.
    public enum Claim: String, Sendable, Codable {
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
    public struct Step: Sendable, Codable, Hashable {
        /// "1", "-1", "1/2".
        public let coefficient: String
        /// Where it was published.
        public let source: String
        /// What was published.
        public let number: String
    }
}
