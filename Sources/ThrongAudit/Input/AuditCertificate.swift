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
