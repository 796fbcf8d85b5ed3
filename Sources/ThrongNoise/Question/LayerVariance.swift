/// The variance of one layer of a question's noise: V / r(S) for the interaction S of the fields that the question tells apart.
///
/// V is (k/4)² for devices and (k·b/10)² for events and sums, r(S) the product of 1 − 1/n over the fields with n buckets each:
/// as much as is left of a single cell when a table's means are taken out. Dividing by it leaves V to every interaction.
/// - Unit: the measure's, squared.
package struct LayerVariance: Hashable, Sendable {
    /// V: no whole-number combination of answers has a smaller variance, whatever the fields.
    package let least: Rational
    /// V / r(S), exactly.
    package let exact: Rational
    /// The noise that is drawn: of ``exact`` where the sampler takes fractions as fine as that, and otherwise the next larger multiple of
    /// 2^−10. More noise than is promised breaks no promise, and margins are computed from this one.
    package let drawn: DiscreteGaussian

    /// Sets the width for devices, or for events and sums.
    ///
    /// - Parameters:
    ///   - threshold: k. Unit: devices, at least 1.
    ///   - bound: what one device may add in a period, at least 1; nil where devices are counted.
    ///   - buckets: of each field of the interaction, at least 2.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooFewBuckets(_:)``, ``NoiseError/tooFine(_:bits:limit:)`` and
    ///   ``NoiseError/overflow``.
    package init(threshold: Int64, bound: Int64? = nil, buckets: [Int]) throws(NoiseError) {
        try self.init(least: NoiseWidth(threshold: threshold, bound: bound).least, buckets: buckets)
    }

    /// Sets the width for any V.
    ///
    /// - Throws: as ``init(threshold:bound:buckets:)``.
    package init(least: Rational, buckets: [Int]) throws(NoiseError) {
        self.least = least
        exact = try least.divided(by: Self.rest(of: buckets))
        drawn = try Self.drawable(exact)
    }

    /// r(S) = Π (1 − 1/n): the squared length of what is left of one cell of a table without its means.
    ///
    /// - Throws: ``NoiseError/tooFewBuckets(_:)`` and ``NoiseError/overflow``.
    package static func rest(of buckets: [Int]) throws(NoiseError) -> Rational {
        var rest = Rational(1)
        for count in buckets {
            guard count > 1 else { throw .tooFewBuckets(count) }
            rest = try rest.multiplied(by: Rational(Int128(count) - 1, over: Int128(count)))
        }
        return rest
    }

    /// The noise of that variance, or of the next larger that the sampler takes.
    static func drawable(_ exact: Rational) throws(NoiseError) -> DiscreteGaussian {
        do {
            return try DiscreteGaussian(variance: exact)
        } catch .tooFine {
            let steps = try exact.multiplied(by: Rational(1024)).floor
            return try DiscreteGaussian(variance: Rational(steps + 1, over: 1024))
        }
    }
}
