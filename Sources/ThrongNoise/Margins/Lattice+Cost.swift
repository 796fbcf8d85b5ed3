extension Lattice {
    /// The cost of one device's day in one question by these fields: the ρ of zero-concentrated differential privacy.
    ///
    ///     Σ over S of r(S) · change² / 2V
    ///
    /// The attacker is given the kept layer, which only helps; the rest of a day is the fresh layer, of variance V /
    /// r(S) in each interaction (Canonne, Kamath and Steinke 2020). Costs of all event sets that a device met, of
    /// counts and of sums, add up (Bun and Steinke 2016). The cost is 8/k² · Σ r(S) for devices, and 50/k² · (a/b)² · Σ
    /// r(S) for events.
    /// - Parameters:
    ///   - change: 1 for devices; for events and sums the amount that the device added, in one cell or in several.
    ///   - least: V; see ``LayerVariance``.
    /// - Throws: ``NoiseError/overflow``.
    package func cost(change: Rational, least: Rational) throws(NoiseError) -> Rational {
        var rests = Rational.zero
        for interaction in interactions { rests = try rests.adding(rest(of: interaction)) }
        return try rests.multiplied(by: change).multiplied(by: change)
            .divided(by: least.multiplied(by: Rational(2)))
    }
}
