internal import ThrongInsight
internal import ThrongPlan

extension Figure {
    /// Whether it is there, as CSV and JSON say it.
    var status: NumberStatus {
        switch self {
        case .published: .published
        case .withheld: .withheld
        case .impossible: .impossible
        case .absent(let absence): NumberStatus(absence)
        }
    }
}

extension AnswerComparison.Outcome {
    /// Whether there is a change, as CSV and JSON say it.
    var status: NumberStatus {
        switch self {
        case .published: .published
        case .withheld: .withheld
        case .impossible: .impossible
        case .absent(let absence): NumberStatus(absence)
        }
    }
}

extension InsightAnswer {
    /// Whether there is an answer, as JSON says it.
    var status: String {
        switch outcome {
        case .answered: "answered"
        case .absent(let absence): NumberStatus(absence).rawValue
        }
    }

    /// Between what a number lies: the interval of an estimate, of devices with a margin or of a quotient of numbers with
    /// margins, or the band of a quantile, whose ends may be open; nil where a number is as counted.
    func bounds(of quantity: Quantity?) -> (low: Decimals?, high: Decimals?)? {
        if case .quantile(let reading)? = quantity { return (reading.lowest, reading.highest) }
        return quantity.flatMap { interval(of: $0) }.map { ($0.low, $0.high) }
    }

    /// Whether numbers were computed from two others.
    var hasQuotients: Bool {
        switch insight.kind {
        case .share, .mean, .retention: true
        case .count, .distribution, .frequency: (answered?.basis.sampling ?? 1) < 1
        case .reach, .quantiles, .funnel: false
        }
    }

    /// Whether numbers have bounds at all.
    var hasBounds: Bool {
        if answered?.basis.margin != nil, hasDrawnBounds { return true }
        return switch insight.kind {
        case .quantiles: true
        case .count, .reach, .share, .mean, .distribution, .retention, .frequency, .funnel:
            (answered?.basis.sampling ?? 1) < 1
        }
    }

    /// Whether numbers that are off on purpose have bounds: counts do where they are compared.
    private var hasDrawnBounds: Bool {
        if case .change = insight.view { return true }
        return switch insight.kind {
        case .reach, .share, .mean, .retention, .funnel: true
        case .count, .distribution, .frequency, .quantiles: false
        }
    }
}
