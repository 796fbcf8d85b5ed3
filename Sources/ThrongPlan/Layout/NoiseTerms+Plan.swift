package import ThrongNoise

extension ContributionLimit {
    /// The limits of a metric's measures, the count first: what one identifier adds in one window, or one event by itself.
    ///
    /// - Parameters:
    ///   - contributionBound: events of one identifier in one window, or what one event counts.
    ///   - cellsBound: leaf cells that it may touch there; one for an event.
    ///   - unit: whom the noise hides; where that is a device, each cell counts once.
    /// - Throws: ``NoiseError``.
    package static func limits(
        contributionBound: Int, cellsBound: Int, sums: [SumMeasure], unit: NoiseUnit
    ) throws(NoiseError) -> [ContributionLimit] {
        let most = Int64(contributionBound)
        let perCell = unit == .device ? 1 : most
        var limits = [try ContributionLimit(cells: Int64(cellsBound), amount: perCell, total: most)]
        for sum in sums {
            let value = Int64(
                clamping: max(sum.quantum(of: sum.lowest).magnitude, sum.quantum(of: sum.highest).magnitude))
            let (amount, overflow) = value.multipliedReportingOverflow(by: perCell)
            let (total, overflowTotal) = value.multipliedReportingOverflow(by: most)
            guard !overflow, !overflowTotal else { throw .overflow }
            limits.append(try ContributionLimit(cells: Int64(cellsBound), amount: amount, total: total))
        }
        return limits
    }
}

extension NoiseTerms {
    /// How many times the least part of the budget a margin gets, where noise hides devices or events.
    ///
    /// - Parameter shown: the margins that reports show.
    package static func weight(of margin: Margin, shown: Set<Margin>) -> Int64 {
        margin == .total ? BudgetPart.total : shown.contains(margin) ? BudgetPart.shown : BudgetPart.other
    }
}

extension MetricLayout {
    /// The noise of this layout's releases; nil where they are exact.
    ///
    /// - Parameters:
    ///   - groupings: the margins that a release shows.
    ///   - weights: the budget's parts by grouping, where the noise hides devices or events;
    ///     ``NoiseTerms/weight(of:shown:)`` has them.
    ///   - windows: in how many the noise hides a device; ``windowsHidden(in:)``.
    /// - Throws: ``NoiseError``.
    package func noiseTerms(
        groupings: [Margin], weights: [Int64]? = nil, windows: Int64 = 1
    ) throws(NoiseError) -> NoiseTerms? {
        guard let noise else { return nil }
        let limits = try ContributionLimit.limits(
            contributionBound: contributionBound, cellsBound: cellsBound ?? contributionBound, sums: sums,
            unit: noiseUnit)
        switch noiseUnit {
        case .window:
            return try NoiseTerms(
                mechanism: noise, limits: limits, groupings: groupings.count, includesLeaves: groupings.contains(leaf),
                cells: declaredCells(of: groupings).count)
        case .device, .event:
            let weights = weights ?? groupings.map { NoiseTerms.weight(of: $0, shown: []) }
            return try NoiseTerms(
                mechanism: noise, limits: limits, unit: noiseUnit,
                parts: zip(groupings, weights).map { margin, weight in
                    .init(cells: declaredCells(of: [margin]).count, isLeaf: margin == leaf, weight: weight)
                },
                windows: windows)
        }
    }

    /// Windows in which one device may be active within a period. Unit: windows.
    package func windows(in period: Period) -> Int64 {
        let first = rotation.window(at: period.start).value
        return rotation.window(at: period.end - 1).value - first + 1
    }

    /// Windows in which noise hides one device: those that begin within a period; 1 where it hides an event, which is in one.
    package func windowsHidden(in period: Period) -> Int64 { hasIdentifiers ? windowsBeginning(in: period) : 1 }

    /// Windows that begin within a period: one of a day, where identifiers last for a day. Unit: windows.
    package func windowsBeginning(in period: Period) -> Int64 {
        rotation.window(at: period.end - 1).value - rotation.window(at: period.start - 1).value
    }
}
