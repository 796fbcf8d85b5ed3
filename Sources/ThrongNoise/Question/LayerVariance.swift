/// The variance of one layer of a question's noise: V / r(S) for the interaction S of the fields that the question tells apart.
///
/// V is (k/4)² for devices and (k·b/10)² for events and sums. r(S) is the product of 1 − 1/n over the fields with n
/// buckets each: the part of a single cell that is left when a table's means are taken out. Dividing by it leaves V to
/// every interaction.
/// - Unit: the measure's, squared.
package struct LayerVariance: Hashable, Sendable {
    /// V: no whole-number combination of answers has a smaller variance, whatever the fields.
    package let least: Rational
    /// V / r(S), exactly.
    package let exact: Rational
    /// The noise that is drawn: of ``exact`` if the sampler takes fractions as fine as that, and otherwise of the next
    /// larger multiple of 2^−10, or whole number. More noise than is promised breaks no promise, and margins are
    /// computed from this one.
    package let drawn: DiscreteGaussian

    /// Sets the width for devices, or for events and sums.
    ///
    /// - Parameters:
    ///   - threshold: k. Unit: devices, at least 1.
    ///   - bound: the most that one device may add in a period, at least 1; nil if devices are counted.
    ///   - buckets: the number of buckets of each field of the interaction, at least 2.
    /// - Throws: ``NoiseError/notPositive(_:)``, ``NoiseError/tooFewBuckets(_:)``, ``NoiseError/tooWide`` and ``NoiseError/overflow``.
    package init(threshold: Int64, bound: Int64? = nil, buckets: [Int]) throws(NoiseError) {
        try self.init(least: NoiseWidth(threshold: threshold, bound: bound).least, buckets: buckets)
    }

    /// Sets the width for any V.
    ///
    /// - Throws: the errors of ``init(threshold:bound:buckets:)``.
    package init(least: Rational, buckets: [Int]) throws(NoiseError) {
        self.least = least
        exact = try least.divided(by: Self.rest(of: buckets))
        drawn = try Self.drawable(exact)
    }

    /// Returns r(S) = Π (1 − 1/n): the squared length of what is left of one cell of a table without its means.
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

    /// Returns the noise of that variance, or of the next larger one that the sampler takes.
    ///
    /// - Throws: ``NoiseError/tooWide``, and ``NoiseError/notPositive(_:)``.
    static func drawable(_ exact: Rational) throws(NoiseError) -> DiscreteGaussian {
        if let noise = try drawable(asItIs: exact) { return noise }
        for fineness: Int64 in [1024, 1] {
            let steps = try exact.multiplied(by: Rational(fineness)).floor
            if let noise = try drawable(asItIs: Rational(steps + 1, over: Int128(fineness))) { return noise }
        }
        throw .tooWide
    }

    private static func drawable(asItIs variance: Rational) throws(NoiseError) -> DiscreteGaussian? {
        do {
            return try DiscreteGaussian(variance: variance)
        } catch .tooFine {
            return nil
        }
    }
}
