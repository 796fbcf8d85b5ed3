package import ThrongNoise

/// What the reader of a noisy release needs to know: which noise, what it cost, and how far off a number may be.
package struct ReleaseNoise: Sendable, Hashable, Codable {
    /// Which noise, and the cost of the whole release for one identifier in one window.
    package let mechanism: NoiseMechanism
    /// Declared cells of all groupings; each has a number. Unit: cells.
    package let cells: Int
    /// One a measure, the count first: 19 of 20 numbers lie within this of what was counted. Unit: the measure's.
    package let margins: [Int64]

    /// What a release with that noise says about itself.
    ///
    /// - Throws: ``NoiseError``.
    package init(_ terms: NoiseTerms) throws(NoiseError) {
        mechanism = terms.mechanism
        cells = terms.cells
        var margins: [Int64] = []
        for noise in terms.distributions {
            margins.append(Int64(clamping: try noise.margin(missing: NoiseDistribution.oneInTwenty)))
        }
        self.margins = margins
    }
}
