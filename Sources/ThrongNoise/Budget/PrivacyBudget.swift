/// What all noisy releases of one purpose may cost together in each slot of time.
package struct PrivacyBudget: Sendable, Hashable, Codable {
    /// The sum that is never exceeded.
    package let total: PrivacyLoss
    /// How long it has to last.
    package let per: BudgetSpan

    /// Puts a budget together.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``.
    package init(total: PrivacyLoss, per: BudgetSpan) throws(NoiseError) {
        guard total.amount.isPositive else { throw .notPositive(.privacyLoss) }
        self.total = total
        self.per = per
    }
}
