/// What is added to a number: one of the two exact distributions.
package enum NoiseDistribution: Sendable, Hashable {
    /// For pure differential privacy.
    case laplace(DiscreteLaplace)
    /// For zero-concentrated differential privacy.
    case gaussian(DiscreteGaussian)

    /// The share of numbers that may lie outside a margin of error as plans and reports give it: 19 of 20 are within.
    package static let oneInTwenty = Rational(reduced: 1, over: 20)

    /// Draws one number.
    ///
    /// - Complexity: expected O(1) coins, constant memory.
    package func sample(using bits: inout some BitSource) -> Int128 {
        switch self {
        case .laplace(let noise): noise.sample(using: &bits)
        case .gaussian(let noise): noise.sample(using: &bits)
        }
    }

    /// About the variance, for weighing numbers against each other; nothing is claimed from it. Unit: the number's,
    /// squared.
    package var variance: Double {
        switch self {
        case .laplace(let noise): 2 * noise.scale.approximate * noise.scale.approximate
        case .gaussian(let noise): noise.variance.approximate
        }
    }

    /// The smallest m for which |noise| > m has a probability of at most `share`; see ``DiscreteLaplace`` and
    /// ``DiscreteGaussian``.
    ///
    /// - Throws: ``NoiseError/notAShare(_:)``.
    package func margin(missing share: Rational) throws(NoiseError) -> Int128 {
        switch self {
        case .laplace(let noise): try noise.margin(missing: share)
        case .gaussian(let noise): try noise.margin(missing: share)
        }
    }

    /// The interval that holds the counted number with the confidence 1 − share, given the published one.
    ///
    /// It covers each number by itself, not all numbers of a release at once: for n at once divide the share by n. It
    /// says nothing about a published number at Int64's ends, which may have been cut there.
    /// - Throws: ``NoiseError/notAShare(_:)``.
    package func interval(around published: Int64, missing share: Rational) throws(NoiseError) -> ClosedRange<Int128> {
        let margin = try margin(missing: share)
        return Int128(published) - margin...Int128(published) + margin
    }
}
