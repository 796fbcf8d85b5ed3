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
    var hasQuotients: Bool { insight.kind.isTally ? isSample : insight.kind.isQuotient }

    var hasBounds: Bool {
        // Counts have them where they are compared.
        if case .change = insight.view { return true }
        return isSample || !insight.kind.isTally
    }
}
