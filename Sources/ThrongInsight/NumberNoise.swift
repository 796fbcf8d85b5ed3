internal import ThrongNoise
internal import ThrongPlan
package import ThrongRelease

/// The noise that each number of an answer carries, with the words for it.
package struct NumberNoise: Sendable, Hashable {
    /// laplace or gaussian.
    package let mechanism: String
    /// What the whole release costs one identifier in one window: epsilon of laplace, rho of gaussian, as an exact
    /// fraction.
    package let cost: String
    /// 19 of 20 numbers lie within this of what was counted. Unit: events.
    package let margin: Int64
    /// Declared cells of the release, each with a number. Unit: cells.
    package let cells: Int
    /// In how many windows of the period one device may have been active. Unit: windows.
    package let windows: Int64
    /// What the noise promises to whom.
    package let promise: String

    /// What a release says about the noise of its events; nil where it has none.
    package init?(_ header: ReleaseHeader) {
        guard let noise = header.noise, let margin = noise.margins.first else { return nil }
        switch noise.mechanism {
        case .laplace(let epsilon): (mechanism, cost) = ("laplace", "\(epsilon)")
        case .gaussian(let rho): (mechanism, cost) = ("gaussian", "\(rho)")
        }
        self.margin = margin
        cells = noise.cells
        windows = header.layout.windows(in: header.period)
        do {
            promise = try noise.mechanism.statement(forDeviceActiveIn: windows)
        } catch {
            // The bound for so many windows needs more than 128 bits: it promises nothing to anyone.
            promise = "Noise hides one identifier in one window, at a cost of \(noise.mechanism.cost)."
        }
    }

    /// The currency of the cost.
    package var currency: String { mechanism == "laplace" ? "epsilon" : "rho" }

    /// The noise in one cell of a table: "laplace, epsilon 1/2".
    package var terms: String { "\(mechanism), \(currency) \(cost)" }

    /// All of it in sentences, the same in every format.
    package var statement: String {
        """
        Every number carries noise of its own (\(terms)) and lies within \
        \(ReportLocale.english.text(margin)) of what was counted in 19 of 20 cases. Nothing is withheld, \
        numbers may be negative, and parts do not add up to totals. \(promise)
        """
    }
}
