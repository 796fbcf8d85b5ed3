/// Somebody who knows what they added themselves to a published sum (attack 20).
package struct AuditInsider: Sendable, Codable, Hashable {
    /// The published sum.
    package let statement: AuditStatement
    /// What the insider added: the second largest contribution. Unit: the sum's.
    package let ownContribution: Int64
    /// How many devices are behind the sum, as published.
    package let contributors: Int64

    /// An insider.
    package init(statement: AuditStatement, ownContribution: Int64, contributors: Int64) {
        self.statement = statement
        self.ownContribution = ownContribution
        self.contributors = contributors
    }
}
