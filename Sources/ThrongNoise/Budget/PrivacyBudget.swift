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

/// How long a purpose's budget has to last, in the app's time zone.
package enum BudgetSpan: String, Sendable, Hashable, Codable, CaseIterable {
    /// A day.
    case day
    /// From Monday.
    case week
    /// A calendar month.
    case month
    /// For ever: a purpose that has used it up makes no noisy release any more.
    case purpose
}

/// One stretch of time that a budget is given for; the whole life of the purpose is slot 0 alone.
package struct BudgetSlot: Sendable, Hashable, Comparable, Codable {
    /// When it begins. Unit: Unix seconds.
    package let start: Int64

    /// Wraps a beginning.
    package init(start: Int64) { self.start = start }
    /// Orders by time.
    package static func < (left: Self, right: Self) -> Bool { left.start < right.start }
}

extension PrivacyBudget {
    /// How many releases of that cost one slot pays for; `throng plan check` compares it with how many the plan makes.
    ///
    /// - Throws: ``NoiseError/unlikeCurrencies(cost:budget:)``, ``NoiseError/zeroDenominator`` for no cost at all,
    ///   and ``NoiseError/overflow``.
    package func releases(costing cost: PrivacyLoss) throws(NoiseError) -> Int128 {
        try total.amount.divided(by: cost.charged(to: total)).floor
    }
}
