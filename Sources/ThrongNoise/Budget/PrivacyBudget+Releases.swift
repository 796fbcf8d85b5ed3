extension PrivacyBudget {
    /// How many releases of that cost one slot pays for; `throng plan check` compares it with how many the plan makes.
    ///
    /// - Throws: ``NoiseError/unlikeCurrencies(cost:budget:)``, ``NoiseError/zeroDenominator`` for no cost at all,
    ///   and ``NoiseError/overflow``.
    package func releases(costing cost: PrivacyLoss) throws(NoiseError) -> Int128 {
        try total.amount.divided(by: cost.charged(to: total)).floor
    }
}
