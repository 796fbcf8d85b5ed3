/// Everything about the noise of one release that is fixed before anybody looks at a number.
///
/// The shape of the universe is declared, never observed: which cells exist must not depend on who came.
package struct NoiseTerms: Sendable, Hashable {
    /// Which noise and what it costs.
    package let mechanism: NoiseMechanism
    /// Whom it hides.
    package let unit: NoiseUnit
    /// The widest noise of each measure of the metric, the count first; where the unit is a window, the only one.
    package let distributions: [NoiseDistribution]
    /// The noise of the groupings, in the order of their cells; where the unit is a window, one that stands for all.
    package let groupings: [Grouping]
    /// Cells of all groupings together, without structural zeros. Unit: cells.
    package let cells: Int

    /// Neighbouring cells with the same noise.
    package struct Grouping: Sendable, Hashable {
        /// Unit: cells.
        package let cells: Int
        /// One per measure, the count first.
        package let distributions: [NoiseDistribution]
    }

    /// One margin of a release whose noise hides devices or events.
    package struct Part: Sendable, Hashable {
        /// Without structural zeros. Unit: cells.
        package let cells: Int
        /// Whether it is the finest margin.
        package let isLeaf: Bool
        /// How many times the least part of the budget it gets: ``BudgetPart``.
        package let weight: Int64

        /// Describes a margin.
        package init(cells: Int, isLeaf: Bool, weight: Int64) {
            self.cells = cells
            self.isLeaf = isLeaf
            self.weight = weight
        }
    }

    /// Fixes noise that hides one identifier in one window: the same for each cell of a measure.
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
            distributions.append(
                try mechanism.distribution(for: sensitivity, part: Rational(1), measures: limits.count))
        }
        self.mechanism = mechanism
        unit = .window
        self.distributions = distributions
        self.groupings = [Grouping(cells: cells, distributions: distributions)]
        self.cells = cells
    }

    /// Fixes noise that hides one device in the whole period, or one event: each margin gets its part of the cost, and the
    /// parts add up to it exactly.
    ///
    /// - Parameters:
    ///   - limits: of one identifier in one window, or of one event, one per measure, the count first; the cost is shared by
    ///     them in equal parts.
    ///   - unit: ``NoiseUnit/device`` or ``NoiseUnit/event``.
    ///   - parts: the margins in the order of their cells.
    ///   - windows: in how many windows one device may add to the period, each with a limit of its own; 1 for an event.
    /// - Throws: ``NoiseError``: anything that is not positive, too fine or does not fit.
    package init(
        mechanism: NoiseMechanism, limits: [ContributionLimit], unit: NoiseUnit = .device, parts: [Part],
        windows: Int64
    ) throws(NoiseError) {
        guard !limits.isEmpty, !parts.isEmpty, parts.allSatisfy({ $0.cells > 0 }) else { throw .emptyUniverse }
        guard windows > 0 else { throw .notPositive(.windows) }
        let whole = parts.reduce(0) { $0 + $1.weight }
        var groupings: [Grouping] = []
        for part in parts {
            let share = try Rational(Int128(part.weight), over: Int128(whole))
            var distributions: [NoiseDistribution] = []
            for limit in limits {
                let sensitivity = try Sensitivity(of: limit, groupings: 1, includesLeaves: part.isLeaf)
                    .times(windows)
                distributions.append(try mechanism.distribution(for: sensitivity, part: share, measures: limits.count))
            }
            groupings.append(Grouping(cells: part.cells, distributions: distributions))
        }
        self.mechanism = mechanism
        self.unit = unit
        self.groupings = groupings
        distributions = limits.indices.map { measure in
            let all = groupings.map { $0.distributions[measure] }
            return all.dropFirst().reduce(all[0]) { $1.variance > $0.variance ? $1 : $0 }
        }
        cells = parts.reduce(0) { $0 + $1.cells }
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
