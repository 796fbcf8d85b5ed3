internal import ThrongPlan

extension InsightAnswer {
    var status: String {
        switch outcome {
        case .answered: "answered"
        case .absent(let absence): NumberStatus(absence).rawValue
        }
    }

    /// Returns the bounds of a number: the interval of an estimate, of devices or of a quotient, or the band of a
    /// quantile, whose ends may be open. Nil for other numbers, of which the margin says all.
    func bounds(of quantity: Quantity?) -> (low: Decimals?, high: Decimals?)? {
        if case .quantile(let reading)? = quantity { return (reading.lowest, reading.highest) }
        return quantity.flatMap { interval(of: $0) }.map { ($0.low, $0.high) }
    }

    /// True if numbers were computed from two others.
    var hasQuotients: Bool {
        switch insight.kind {
        case .share, .mean, .retention: true
        case .count, .distribution, .frequency: (answered?.basis.sampling ?? 1) < 1
        case .reach, .quantiles, .funnel: false
        }
    }

    var hasBounds: Bool {
        // Counts have them where they are compared.
        if case .change = insight.view { return true }
        return switch insight.kind {
        case .reach, .share, .mean, .quantiles, .retention, .funnel: true
        case .count, .distribution, .frequency: (answered?.basis.sampling ?? 1) < 1
        }
    }
}
