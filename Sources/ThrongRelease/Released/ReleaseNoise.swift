package import ThrongNoise
package import ThrongPlan

/// What the reader of a noisy release needs to know: which noise, what it cost, and how far off a number may be.
package struct ReleaseNoise: Sendable, Hashable, Codable {
    /// Which noise, and the cost of the whole release for what it hides.
    package let mechanism: NoiseMechanism
    /// Declared cells of all groupings; each has a number. Unit: cells.
    package let cells: Int
    /// One a measure, the count first: 19 of 20 numbers lie within this of what was counted. Where groupings differ it is the
    /// widest of them. Unit: the measure's.
    package let margins: [Int64]
    /// Nil for an identifier in a window, so that headers of such noise have the JSON that they always had.
    private let hides: Hidden?

    /// What noise that hides devices or events says besides.
    private struct Hidden: Sendable, Hashable, Codable {
        /// In how many windows one device may have added to the period. Unit: windows.
        let windows: Int64
        /// How many times the least part of the budget each grouping got, in the release's order.
        let weights: [Int64]
        /// By grouping, one a measure. Unit: the measure's.
        let margins: [[Int64]]
        /// Nil for a device, so that headers of such noise have the JSON that they always had.
        let unit: NoiseUnit?
    }

    /// What a release with that noise says about itself, before anything is drawn.
    ///
    /// - Parameters:
    ///   - weights: by grouping, where the noise hides devices or events.
    ///   - windows: see ``NoiseTerms``.
    /// - Throws: ``NoiseError``.
    package init(_ terms: NoiseTerms, weights: [Int64] = [], windows: Int64 = 1) throws(NoiseError) {
        mechanism = terms.mechanism
        cells = terms.cells
        func margins(_ all: [NoiseDistribution]) throws(NoiseError) -> [Int64] {
            var margins: [Int64] = []
            for noise in all {
                margins.append(Int64(clamping: try noise.margin(missing: NoiseDistribution.oneInTwenty)))
            }
            return margins
        }
        self.margins = try margins(terms.distributions)
        guard terms.unit.isConsistent else {
            hides = nil
            return
        }
        var byGrouping: [[Int64]] = []
        for grouping in terms.groupings { byGrouping.append(try margins(grouping.distributions)) }
        hides = Hidden(
            windows: windows, weights: weights, margins: byGrouping, unit: terms.unit == .device ? nil : terms.unit)
    }

    /// Whom the noise hides.
    package var unit: NoiseUnit { hides.map { $0.unit ?? .device } ?? .window }

    /// In how many windows one device may have added to the period; nil where the noise hides an identifier in a window.
    package var windows: Int64? { hides?.windows }

    /// The budget's parts by grouping; nil where the noise hides an identifier in a window.
    package var weights: [Int64]? { hides?.weights }

    /// The same with the margins that hold once numbers were made consistent.
    ///
    /// - Parameter byGrouping: in the release's order, one a measure.
    func stating(_ byGrouping: [[Int64]]) -> ReleaseNoise {
        ReleaseNoise(
            mechanism: mechanism, cells: cells,
            margins: margins.indices.map { measure in byGrouping.map { $0[measure] }.max() ?? margins[measure] },
            hides: hides.map {
                Hidden(windows: $0.windows, weights: $0.weights, margins: byGrouping, unit: $0.unit)
            })
    }

    private init(mechanism: NoiseMechanism, cells: Int, margins: [Int64], hides: Hidden?) {
        self.mechanism = mechanism
        self.cells = cells
        self.margins = margins
        self.hides = hides
    }

    /// Without the margins of groupings that age took.
    func keeping(_ kept: [Bool]) -> ReleaseNoise {
        guard let hides else { return self }
        func left<Item>(_ all: [Item]) -> [Item] { zip(all, kept).filter(\.1).map(\.0) }
        return ReleaseNoise(
            mechanism: mechanism, cells: cells, margins: margins,
            hides: Hidden(
                windows: hides.windows, weights: left(hides.weights), margins: left(hides.margins), unit: hides.unit))
    }
}

extension ReleaseHeader {
    /// Within what 19 of 20 noisy numbers of a grouping lie; nil where numbers are exact. Unit: the measure's.
    ///
    /// - Parameters:
    ///   - measure: 0 is the count; then the sums.
    package func noiseMargin(of grouping: Margin, measure: Int = 0) -> Int64? {
        guard let noise, noise.margins.indices.contains(measure) else { return nil }
        guard let place = groupings.firstIndex(of: grouping) else { return noise.margins[measure] }
        return noise.margin(ofGrouping: place, measure: measure)
    }
}

extension ReleaseNoise {
    fileprivate func margin(ofGrouping place: Int, measure: Int) -> Int64 {
        guard let hides, hides.margins.indices.contains(place) else { return margins[measure] }
        return hides.margins[place][measure]
    }
}
