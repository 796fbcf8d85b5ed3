/// How much one identifier in one window may change the probability of anything published, as an exact number.
///
/// The two currencies add up within themselves: epsilons by basic composition, rhos by composition of
/// zero-concentrated privacy (Bun and Steinke 2016, "Concentrated Differential Privacy", lemma 1.7).
package enum PrivacyLoss: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Pure differential privacy: no outcome becomes more than e^ε times likelier.
    case epsilon(Rational)
    /// Zero-concentrated differential privacy: an average, over outcomes, of the evidence that one gives.
    case rho(Rational)

    /// The number without its currency.
    package var amount: Rational {
        switch self {
        case .epsilon(let amount), .rho(let amount): amount
        }
    }

    /// As a ledger writes it: `epsilon 1/2`.
    package var description: String {
        switch self {
        case .epsilon(let amount): "epsilon \(amount)"
        case .rho(let amount): "rho \(amount)"
        }
    }

    /// The same currency, another amount.
    func with(_ amount: Rational) -> PrivacyLoss {
        switch self {
        case .epsilon: .epsilon(amount)
        case .rho: .rho(amount)
        }
    }

    /// What it costs in the currency of a budget.
    ///
    /// Privacy of ε is zero-concentrated privacy of ε²/2 (Bun and Steinke 2016, proposition 1.4). There is no way back
    /// at δ = 0, so a Gaussian release cannot be paid from a budget in epsilon.
    /// - Throws: ``NoiseError/unlikeCurrencies(cost:budget:)`` and ``NoiseError/overflow``.
    package func charged(to budget: PrivacyLoss) throws(NoiseError) -> Rational {
        switch (self, budget) {
        case (.epsilon(let amount), .epsilon), (.rho(let amount), .rho):
            return amount
        case (.epsilon(let epsilon), .rho):
            return try epsilon.multiplied(by: epsilon).divided(by: Rational(2))
        case (.rho, .epsilon):
            throw .unlikeCurrencies(cost: self, budget: budget)
        }
    }

    /// An ε for which zero-concentrated privacy of ρ is (ε, δ)-differential privacy, δ = 2^−deltaBits.
    ///
    /// ε = ρ + 2·√(ρ·ln(1/δ)) (Bun and Steinke 2016, proposition 1.3), rounded up to thousandths; ln 2 < 693,148/10^6.
    /// An epsilon is returned as it is. Better conversions exist (Canonne, Kamath and Steinke 2020); this
    /// one needs a square root and nothing else.
    /// - Parameter deltaBits: 20 gives δ < 10^−6.
    /// - Throws: ``NoiseError/overflow``.
    package func epsilon(deltaBits: UInt8) throws(NoiseError) -> Rational {
        guard case .rho(let rho) = self else { return amount }
        let logarithm = try Rational(Int128(deltaBits) * 693_148, over: 1_000_000)
        // √x in thousandths, up: the least n with n² ≥ 4·x·10^6.
        let squared = try rho.multiplied(by: logarithm).multiplied(by: Rational(4_000_000))
        guard let whole = UInt64(exactly: squared.floor) else { throw .overflow }
        return try rho.adding(Rational(Int128(whole.squareRootFloor) + 1, over: 1000))
    }
}
