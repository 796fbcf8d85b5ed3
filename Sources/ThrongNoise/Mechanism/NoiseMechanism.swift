/// Which noise a metric's release gets, and what one release of it costs.
///
/// The cost is of the whole release: every measure and every grouping of one metric and period together.
package enum NoiseMechanism: Sendable, Hashable, Codable {
    /// Discrete Laplace noise for ε-differential privacy.
    case laplace(epsilon: Rational)
    /// Discrete Gaussian noise for ρ-zero-concentrated differential privacy. Worth it from about five groupings or
    /// measures on, because its noise grows with the root of their number.
    case gaussian(rho: Rational)

    /// What one release costs.
    package var cost: PrivacyLoss {
        switch self {
        case .laplace(let epsilon): .epsilon(epsilon)
        case .gaussian(let rho): .rho(rho)
        }
    }

    /// The noise of each cell of one measure.
    ///
    /// Laplace: scale = Δ₁/ε. Gaussian: σ² = Δ₂²/2ρ (Canonne, Kamath and Steinke 2020, who prove it for
    /// vectors of independent discrete noise too). The release's cost is shared by its measures in equal parts.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooFine(_:bits:limit:)`` and ``NoiseError/overflow``.
    func distribution(for sensitivity: Sensitivity, measures: Int) throws(NoiseError) -> NoiseDistribution {
        guard cost.amount.isPositive else { throw .notPositive(.privacyLoss) }
        let share = try cost.amount.divided(by: Rational(Int64(measures)))
        switch self {
        case .laplace:
            return try .laplace(DiscreteLaplace(scale: Rational(sensitivity.absolute, over: 1).divided(by: share)))
        case .gaussian:
            let doubled = try share.multiplied(by: Rational(2))
            return try .gaussian(
                DiscreteGaussian(variance: Rational(sensitivity.squared, over: 1).divided(by: doubled)))
        }
    }
}

extension NoiseMechanism {
    private enum Key: String, CodingKey { case mechanism, epsilon, rho }
    private enum Kind: String, Codable { case laplace, gaussian }

    /// Reads what ``encode(to:)`` writes.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(Kind.self, forKey: .mechanism) {
        case .laplace: self = .laplace(epsilon: try container.decode(Rational.self, forKey: .epsilon))
        case .gaussian: self = .gaussian(rho: try container.decode(Rational.self, forKey: .rho))
        }
    }

    /// As the plan has it: `{"mechanism": "laplace", "epsilon": "1/2"}`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .laplace(let epsilon):
            try container.encode(Kind.laplace, forKey: .mechanism)
            try container.encode(epsilon, forKey: .epsilon)
        case .gaussian(let rho):
            try container.encode(Kind.gaussian, forKey: .mechanism)
            try container.encode(rho, forKey: .rho)
        }
    }
}
