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
    /// - Parameter part: of the cost, for the groupings that the sensitivity is of: above 0, at most 1.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooFine(_:bits:limit:)`` and ``NoiseError/overflow``.
    func distribution(for sensitivity: Sensitivity, part: Rational, measures: Int) throws(NoiseError)
        -> NoiseDistribution
    {
        guard cost.amount.isPositive else { throw .notPositive(.privacyLoss) }
        let share = try cost.amount.multiplied(by: part).divided(by: Rational(Int64(measures)))
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

extension NoiseMechanism {
    /// What a device gets that was active in some windows of the released period: its loss within this release.
    ///
    /// A device shows a new identifier in every window, so n windows are a group of n: nε for pure privacy, and n²ρ for
    /// concentrated privacy (Bun and Steinke 2016, proposition 1.9), because all n may have pushed the same cell.
    /// - Throws: ``NoiseError/notPositive(_:)`` and ``NoiseError/overflow``.
    package func loss(ofDeviceActiveIn windows: Int64) throws(NoiseError) -> PrivacyLoss {
        guard windows > 0 else { throw .notPositive(.windows) }
        let cost = cost
        let times = Rational(windows)
        let amount = try cost.amount.multiplied(by: times)
        switch cost {
        case .epsilon: return .epsilon(amount)
        case .rho: return try .rho(amount.multiplied(by: times))
        }
    }

    /// The same in words, for reports and for the privacy label.
    ///
    /// - Throws: As ``loss(ofDeviceActiveIn:)``.
    package func statement(forDeviceActiveIn windows: Int64) throws(NoiseError) -> String {
        let one = try Self.promise(cost)
        let unit = """
            Noise hides one identifier in one window: whatever else is known, leaving out all that it sent in that \
            window makes no outcome of this release more than \(one).
            """
        guard windows > 1 else { return unit }
        let all = try Self.promise(loss(ofDeviceActiveIn: windows))
        return """
            \(unit) A device has another identifier in every window; for one that was active in \(windows) windows of \
            this period the bound is \(all). Other releases add to that.
            """
    }

    /// The promise to a device, where that is the noise's unit: in words, for reports and for the privacy label.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func statementForDevice() throws(NoiseError) -> String {
        """
        Noise hides one device in the whole period: whatever else is known, leaving out all that it sent makes no outcome \
        of this release more than \(try Self.promise(cost)). Other releases add to that.
        """
    }

    /// The promise to an event, where that is the noise's unit: in words, for reports and for the privacy label.
    ///
    /// - Parameter most: what one event counts at most.
    /// - Throws: ``NoiseError/overflow``.
    package func statement(forEventCounting most: Int64) throws(NoiseError) -> String {
        """
        Noise hides one event, which counts \(most) at most: whatever else is known, leaving it out makes no outcome of this \
        release more than \(try Self.promise(cost)). There are no identifiers, so nobody knows how many devices there were: \
        whoever sends n events is hidden n times less, and nobody can be kept from sending many. Throng's client library adds \
        \(most) at most in a period. Other releases add to that.
        """
    }

    private static func promise(_ loss: PrivacyLoss) throws(NoiseError) -> String {
        switch loss {
        case .epsilon(let epsilon):
            return "\(try factor(epsilon)) likelier or less likely (epsilon \(epsilon))"
        case .rho(let rho):
            let epsilon = try loss.epsilon(deltaBits: 20)
            return """
                \(try factor(epsilon)) likelier or less likely, but for a chance of one in a million (rho \(rho), \
                epsilon \(epsilon) at delta 2^-20)
                """
        }
    }

    /// e^ε with two decimals, rounded up; as a power where it no longer says anything to anyone.
    private static func factor(_ epsilon: Rational) throws(NoiseError) -> String {
        guard epsilon < Rational(10) else { return "e^(\(epsilon)) times" }
        let bounds = ExponentialBounds(of: UInt128(epsilon.numerator), over: UInt128(epsilon.denominator))
        // exp(−10) is 2^−14.4, so the divisor is far from 0.
        let hundredths = 100 * ExponentialBounds.one / bounds.lower + 1
        let decimals = hundredths % 100
        return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals) times"
    }
}
