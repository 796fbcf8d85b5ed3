extension PlanReader {
    private static var mostRanked: Int { 50 }
    private static var mostPeriods: Int { 100 }
    private static var mostQuantiles: Int { 9 }

    mutating func view(
        of kind: InsightKind, in body: PlanBody<PlanKeys.Insight>, by: [DimensionName]
    ) -> Insight.View? {
        let given = [PlanKeys.Insight.top, .change, .trend].filter { body[$0] != nil }
        guard let key = given.first else { return .table }
        if given.count > 1 {
            problems.add(
                body[given[1]]?.place,
                "\(body.subject(given[1])) stands beside '\(key.rawValue)'; one of them is allowed: make two insights")
        }
        guard [.count, .reach, .share, .mean].contains(kind) else {
            return problems.refuse(
                body[key]?.place,
                "\(body.subject(key)) belongs to a count, reach, share or mean; a \(kind.rawValue) has none: leave it out"
            )
        }
        switch key {
        case .top: return ranking(in: body, by: by)
        case .change: return body[key].flatMap { choices($0, body.subject(key)) }.map { .change(against: $0) }
        default: return trend(in: body, by: by)
        }
    }

    private mutating func ranking(in body: PlanBody<PlanKeys.Insight>, by: [DimensionName]) -> Insight.View? {
        if by.isEmpty {
            problems.add(
                body[.top]?.place, "\(body.subject(.top)) ranks the buckets of a dimension; say of which in 'by'")
        }
        return integer(.top, in: body, 1...Self.mostRanked).map { .ranking(top: $0) }
    }

    private mutating func trend(in body: PlanBody<PlanKeys.Insight>, by: [DimensionName]) -> Insight.View? {
        if by.count > 1 {
            problems.add(
                body[.trend]?.place,
                "\(body.subject(.trend)) has a line a bucket of 'by', which names \(by.count) dimensions; at most 1 is allowed"
            )
        }
        return integer(.trend, in: body, 2...Self.mostPeriods).map { .trend(periods: $0) }
    }

    /// Reads the parts of `at`, ascending.
    mutating func quantiles(in body: PlanBody<PlanKeys.Insight>) -> [Quantile]? {
        guard let node = body[.at] else {
            return problems.refuse(
                body.place,
                "\(body.subject): 'at' is missing; say which quantiles, such as [0.5, 0.9] for median and p90")
        }
        let subject = body.subject(.at)
        guard let nodes = list(node, subject) else { return nil }
        if nodes.count > Self.mostQuantiles {
            problems.add(
                node.place, "\(subject) lists \(nodes.count) quantiles; at most \(Self.mostQuantiles) are allowed")
        }
        var quantiles: [Quantile] = []
        for node in nodes {
            guard let part = number(node, subject) else { return nil }
            let perMille = (part * 1000).rounded()
            guard part > 0, part < 1, perMille >= 1, perMille <= 999, abs(perMille - part * 1000) < 1e-6 else {
                return problems.refuse(
                    node.place,
                    """
                    \(subject): found \(PlanNumber.text(part)); more than 0 and less than 1 is allowed, in thousandths, \
                    such as 0.5 or 0.95
                    """)
            }
            let quantile = Quantile(perMille: Int(perMille))
            if let last = quantiles.last, quantile <= last {
                return problems.refuse(
                    node.place, "\(subject): \(quantile) stands behind \(last); list each once, ascending")
            }
            quantiles.append(quantile)
        }
        return quantiles
    }
}
