extension PlanReader {
    private static var mostRanked: Int { 50 }
    private static var mostPeriods: Int { 100 }
    private static var mostQuantiles: Int { 9 }

    mutating func view(of asked: Asked) -> Insight.View? {
        let (body, by) = (asked.body, asked.by)
        let given = [PlanKeys.Insight.top, .change, .trend].filter { body[$0] != nil }
        guard let key = given.first else { return .table }
        let value = body[key]
        if given.count > 1 {
            problems.add(
                body[given[1]],
                it: "stands beside '\(key.rawValue)'; one of them is allowed: make two insights")
        }
        guard [.count, .reach, .share, .mean].contains(asked.kind) else {
            return problems.refuse(
                value,
                it: "belongs to a count, reach, share or mean; a \(asked.kind.rawValue) has none: leave it out")
        }
        switch key {
        case .top:
            if by.isEmpty { problems.add(value, it: "ranks the buckets of a dimension; say of which in 'by'") }
            return integer(value, 1...Self.mostRanked).map { .ranking(top: $0) }
        case .change:
            return choices(value).map { .change(against: $0) }
        default:
            if by.count > 1 {
                problems.add(
                    value,
                    it: "has a line a bucket of 'by', which names \(by.count) dimensions; at most 1 is allowed")
            }
            return integer(value, 2...Self.mostPeriods).map { .trend(periods: $0) }
        }
    }

    /// Reads the parts of `at`, ascending.
    mutating func quantiles(in body: PlanBody<PlanKeys.Insight>) -> [Quantile]? {
        guard let value = body[.at] else {
            return problems.refuse(
                body, "'at' is missing; say which quantiles, such as [0.5, 0.9] for median and p90")
        }
        guard let values = list(value) else { return nil }
        if values.count > Self.mostQuantiles {
            problems.add(value, it: "lists \(values.count) quantiles; at most \(Self.mostQuantiles) are allowed")
        }
        var quantiles: [Quantile] = []
        for value in values {
            guard let part = number(value) else { return nil }
            let perMille = (part * 1000).rounded()
            guard part > 0, part < 1, perMille >= 1, perMille <= 999, abs(perMille - part * 1000) < 1e-6 else {
                return problems.refuse(
                    value,
                    """
                    found \(PlanNumber.text(part)); more than 0 and less than 1 is allowed, in thousandths, \
                    such as 0.5 or 0.95
                    """)
            }
            let quantile = Quantile(perMille: Int(perMille))
            if let last = quantiles.last, quantile <= last {
                return problems.refuse(value, "\(quantile) stands behind \(last); list each once, ascending")
            }
            quantiles.append(quantile)
        }
        return quantiles
    }
}
