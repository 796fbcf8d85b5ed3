/// The margins of one grouping's numbers.
package struct GroupingMargin: Sendable, Hashable {
    /// Of each drawn number: 2V·Π(1 + 1/n²) for fields with n buckets each, exactly. Unit: the measure's, squared.
    package let variance: Rational
    /// The excess over k that a published number has: the smallest whole m that the noise reaches with a chance of at most 1/40.
    /// Unit: the measure's.
    package let publication: Int64
    /// The smallest q within which 19 of 20 drawn numbers lie, before anything is rounded. Unit: the measure's.
    package let drawn: Rational

    /// The margin that a release states: 19 of 20 of its whole numbers lie within it.
    ///
    /// A drawn number is off by more than q with a chance of 1/20 at most, and steps that look at drawn numbers only moved those that
    /// are published by s at most, so that no more of them are off by more than q + s. The stated margin is whole, since errors are.
    /// - Parameter moved: s, from ``GroupingTable/farthest(_:from:)``.
    /// - Throws: ``NoiseError/overflow``.
    package func stated(moved: Rational) throws(NoiseError) -> Int64 { Int64(clamping: try drawn.adding(moved).floor) }
}

extension Lattice {
    /// The law of the noise of a grouping's cells, which is the same for all of them.
    ///
    /// In units of 1/N_G a cell's noise is the sum, over parts S of the grouping and cells of S, of a whole factor times the cell's
    /// draws: for each field in S, n − 1 where the cell has the same bucket and −1 where it has another.
    /// - Parameter variances: of the draws of one cell of a table by S, for each part S: the kept layer's draws and the fresh
    ///   layer's.
    /// - Throws: ``NoiseError/notOfTheLattice`` where a part's are missing, ``NoiseError/overflow``.
    package func law(of grouping: FieldSet, variances: [FieldSet: [Rational]]) throws(NoiseError) -> NoiseLaw {
        guard interactions.contains(grouping) else { throw .notOfTheLattice }
        var counts: [Int64: [Rational: Int]] = [:]
        var variance = Rational.zero
        for part in grouping.subsets {
            guard let draws = variances[part] else { throw .notOfTheLattice }
            var spread = try rest(of: part)
            for count in buckets(of: grouping.subtracting(part)) {
                spread = try spread.multiplied(by: Rational(1, over: Int128(count) * Int128(count)))
            }
            for draw in draws { variance = try variance.adding(draw.multiplied(by: spread)) }
            for same in part.subsets {
                let factor = buckets(of: same).reduce(Int64(1)) { $0 * Int64($1 - 1) }
                let cells = buckets(of: part.subtracting(same)).reduce(1) { $0 * ($1 - 1) }
                for draw in draws { counts[factor, default: [:]][draw, default: 0] += cells }
            }
        }
        let parts = counts.flatMap { factor, draws in
            draws.map { NoiseLaw.Part(factor: factor, variance: $0.key, count: $0.value) }
        }
        // Sorted, so that sums in floating point are the same on each run.
        return NoiseLaw(
            parts: parts.sorted { ($0.factor, $0.variance) < ($1.factor, $1.variance) },
            denominator: Int128(cells(of: grouping)), variance: variance)
    }

    /// The margins of a grouping's numbers.
    ///
    /// - Throws: as ``law(of:variances:)``.
    package func margin(of grouping: FieldSet, variances: [FieldSet: [Rational]]) throws(NoiseError) -> GroupingMargin {
        let law = try law(of: grouping, variances: variances)
        // |noise| > q is noise of q and one more step on either side.
        return GroupingMargin(
            variance: law.variance,
            publication: Int64(clamping: law.quantile(in: law.denominator) / law.denominator),
            drawn: try Rational(law.quantile(in: 1) - 1, over: law.denominator))
    }

    /// The variances of the draws where both layers are new and alike: for a plan that was never changed.
    ///
    /// - Parameter least: V; see ``LayerVariance``.
    /// - Throws: as ``LayerVariance/init(least:buckets:)``.
    package func variances(least: Rational) throws(NoiseError) -> [FieldSet: [Rational]] {
        var variances: [FieldSet: [Rational]] = [:]
        for interaction in interactions {
            let layer = try LayerVariance(least: least, buckets: buckets(of: interaction)).drawn.variance
            variances[interaction] = [layer, layer]
        }
        return variances
    }
}
