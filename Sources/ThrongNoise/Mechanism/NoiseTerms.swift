/// Everything about the noise of one release that is fixed before anybody looks at a number.
///
/// The shape of the universe is declared, never observed: which cells exist must not depend on who came.
package struct NoiseTerms: Sendable, Hashable {
    /// Which noise and what it costs.
    package let mechanism: NoiseMechanism
    /// One per measure of the metric: the count first.
    package let distributions: [NoiseDistribution]
    /// Cells of all groupings together, without structural zeros. Unit: cells.
    package let cells: Int

    /// Fixes the noise.
    ///
    /// - Parameters:
    ///   - limits: one per measure, the count first; the cost is shared by them in equal parts.
    ///   - groupings: how many margins are released, each with noise of its own.
    ///   - includesLeaves: whether the finest margin is one of them.
    ///   - cells: of all those margins, empty ones too. Unit: cells.
    /// - Throws: ``NoiseError``: anything that is not positive, too fine or does not fit.
    package init(
        mechanism: NoiseMechanism, limits: [ContributionLimit], groupings: Int, includesLeaves: Bool, cells: Int
    ) throws(NoiseError) {
        guard !limits.isEmpty, cells > 0 else { throw .emptyUniverse }
        var distributions: [NoiseDistribution] = []
        for limit in limits {
            let sensitivity = try Sensitivity(of: limit, groupings: groupings, includesLeaves: includesLeaves)
            distributions.append(try mechanism.distribution(for: sensitivity, measures: limits.count))
        }
        self.mechanism = mechanism
        self.distributions = distributions
        self.cells = cells
    }

    /// Refuses values that are not one per measure and declared cell.
    ///
    /// - Throws: ``NoiseError/notTheUniverse(measures:cells:declaredMeasures:declaredCells:)``.
    package func check(_ values: [[Int64]]) throws(NoiseError) {
        for column in values where column.count != cells {
            throw .notTheUniverse(
                measures: values.count, cells: column.count, declaredMeasures: distributions.count,
                declaredCells: cells)
        }
        guard values.count == distributions.count else {
            throw .notTheUniverse(
                measures: values.count, cells: cells, declaredMeasures: distributions.count, declaredCells: cells)
        }
    }
}
