/// The variances to which a question's kept noise rose, in order.
///
/// Kept noise is never scaled: whoever has x + 2z and x + 3z solves for x and z. So the first variance has a draw, each rise adds
/// an independent draw of the difference, and what asks for less gets what is there. The list is a part of the answer and is only
/// appended to.
package struct Rises: Hashable, Sendable {
    /// Ascending, at least one. Unit: the measure's, squared.
    package private(set) var variances: [Rational]
    /// The draws that make them up: the first variance, then the differences.
    package private(set) var draws: [DiscreteGaussian]

    /// Begins with a question's first variance.
    package init(from first: LayerVariance) {
        variances = [first.drawn.variance]
        draws = [first.drawn]
    }

    /// Reads a list that was stored.
    ///
    /// - Throws: ``NoiseError/notRising`` for a list that is empty or does not rise, and what the sampler refuses.
    package init(stored: [Rational]) throws(NoiseError) {
        guard !stored.isEmpty else { throw .notRising }
        (variances, draws) = ([], [])
        for variance in stored {
            guard largest < variance else { throw .notRising }
            draws.append(try DiscreteGaussian(variance: variance.subtracting(largest)))
            variances.append(variance)
        }
    }

    /// The variance that the kept noise has now. Unit: the measure's, squared.
    package var largest: Rational { variances.last ?? .zero }

    /// Sees to it that the kept noise has at least that variance; a smaller one changes nothing.
    ///
    /// - Returns: Whether there is a new rise to store before anything is drawn.
    /// - Throws: what the sampler refuses. The list is as before then.
    @discardableResult
    package mutating func raise(to variance: LayerVariance) throws(NoiseError) -> Bool {
        guard largest < variance.drawn.variance else { return false }
        let rise = try LayerVariance.drawable(variance.drawn.variance.subtracting(largest))
        variances.append(try largest.adding(rise.variance))
        draws.append(rise)
        return true
    }
}
