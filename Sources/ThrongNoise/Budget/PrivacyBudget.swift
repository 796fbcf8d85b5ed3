/// What all noisy releases of one purpose may cost together in each slot of time.
public struct PrivacyBudget: Sendable, Hashable, Codable {
    /// The sum that is never exceeded.
    public let total: PrivacyLoss
    /// How long it has to last.
    public let per: BudgetSpan

    /// Puts a budget together.
    ///
    /// - Throws: ``NoiseError/notPositive(_:)``.
    public init(total: PrivacyLoss, per: BudgetSpan) throws(NoiseError) {
        guard total.amount.isPositive else { throw .notPositive(.privacyLoss) }
        self.total = total
        self.per = per
    }
}
