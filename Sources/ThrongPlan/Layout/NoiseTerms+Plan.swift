package import ThrongNoise

extension NoiseTerms {
    /// The noise of a metric's releases, from its bounds and from what a release shows.
    ///
    /// - Parameters:
    ///   - contributionBound: events of one identifier in one window.
    ///   - cellsBound: leaf cells that it may touch there.
    ///   - groupings: the margins of a release.
    ///   - leaf: the margin that keeps every dimension.
    ///   - cells: of all groupings together.
    /// - Throws: ``NoiseError``: a sum whose bounds are too wide for its decimals, among others.
    package init(
        mechanism: NoiseMechanism,
        contributionBound: Int,
        cellsBound: Int,
        sums: [SumMeasure],
        groupings: [Margin],
        leaf: Margin,
        cells: Int
    ) throws(NoiseError) {
        var limits = [
            try ContributionLimit(
                cells: Int64(cellsBound), amount: Int64(contributionBound), total: Int64(contributionBound))
        ]
        for sum in sums {
            let most = max(sum.quantum(of: sum.lowest).magnitude, sum.quantum(of: sum.highest).magnitude)
            let (amount, overflow) = Int64(clamping: most).multipliedReportingOverflow(by: Int64(contributionBound))
            guard !overflow else { throw .overflow }
            limits.append(try ContributionLimit(cells: Int64(cellsBound), amount: amount, total: amount))
        }
        try self.init(
            mechanism: mechanism, limits: limits, groupings: groupings.count, includesLeaves: groupings.contains(leaf),
            cells: cells)
    }
}

extension MetricLayout {
    /// The noise of this layout's releases; nil where they are exact.
    ///
    /// - Parameter groupings: the margins that a release shows.
    /// - Throws: ``NoiseError``.
    package func noiseTerms(groupings: [Margin]) throws(NoiseError) -> NoiseTerms? {
        guard let noise else { return nil }
        return try NoiseTerms(
            mechanism: noise, contributionBound: contributionBound, cellsBound: cellsBound ?? contributionBound,
            sums: sums, groupings: groupings, leaf: leaf, cells: declaredCells(of: groupings).count)
    }

    /// Windows in which one device may be active within a period. Unit: windows.
    package func windows(in period: Period) -> Int64 {
        let first = rotation.window(at: period.start).value
        return rotation.window(at: period.end - 1).value - first + 1
    }
}
