internal import ThrongInsight
internal import ThrongPlan

/// Columns that only those reports have which have such numbers.
enum CSVExtra: CaseIterable {
    /// What quotients and estimates were computed from.
    case quotient
    /// Bounds of estimates, bands of quantiles.
    case bounds
    case rank
    case change
    case noise
    /// Of the steps of a funnel.
    case funnel

    var columns: [String] {
        switch self {
        case .quotient: ["numerator", "denominator"]
        case .bounds: ["low", "high"]
        case .rank: ["rank"]
        case .change: ["against", "earlier", "relative"]
        case .noise: ["noise", "margin"]
        case .funnel: ["of_previous", "of_first"]
        }
    }

    /// Whether an answer has such numbers.
    func isIn(_ answer: InsightAnswer) -> Bool {
        if case (.funnel, .funnel) = (self, answer.insight.kind) { return true }
        return switch (self, answer.insight.view) {
        case (.quotient, _): answer.answered != nil && answer.hasQuotients
        case (.bounds, _): answer.answered != nil && answer.hasBounds
        case (.rank, .ranking): true
        case (.change, .change): true
        case (.noise, _): answer.answered?.basis.noise != nil
        case (.rank, _), (.change, _), (.funnel, _): false
        }
    }

    func cells(of line: CSVLine, _ answer: InsightAnswer) -> [CSVCell] {
        func number(_ number: Decimals?) -> CSVCell { number.map { .number("\($0)") } ?? .empty }
        switch self {
        case .quotient:
            return [line.quotient?.numerator, line.quotient?.denominator].map { $0.map { .number($0) } ?? .empty }
        case .bounds: return [number(line.bounds?.low), number(line.bounds?.high)]
        case .rank: return [line.rank.map { .number(String($0)) } ?? .empty]
        case .change: return [line.against.map { .text($0) } ?? .empty, number(line.earlier), number(line.relative)]
        case .funnel: return [number(line.ofPrevious), number(line.ofFirst)]
        case .noise:
            guard let noise = answer.answered?.basis.noise else { return [.empty, .empty] }
            return [.text(noise.terms), .number(String(noise.margin))]
        }
    }
}
