extension PlanReader {
    enum InsightKind: String, CaseIterable {
        case count, reach, share, mean, distribution, quantiles, retention, frequency, funnel
    }

    /// An insight while it is read.
    struct Asked {
        let kind: InsightKind
        let metric: Metric
        /// The dimensions that it may be split by or confined to, also those that are made of the metric's dimensions.
        let dimensions: [String]
        let body: PlanBody<PlanKeys.Insight>
        var by: [DimensionName] = []
        var filters: [Insight.Filter] = []

        func names(_ dimension: DimensionName) -> Bool {
            by.contains(dimension) || filters.contains { $0.dimension == dimension }
        }
    }

    mutating func readInsight(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Insight.self) else { return }
        let title = words(.title, in: body, of: "insights.\(part.name)")
        let explanation = words(.explanation, in: body, of: "insights.\(part.name)", longest: 600)
        let kind: InsightKind? = choice(body[.kind])
        let name: MetricName? = reference(body[.metric], to: .metric)
        if let kind { checkKeys(of: kind, in: body) }
        // A metric that could not be read has its own problems; what depends on it is not checked again.
        guard let kind, let name, let metric = metrics.first(where: { $0.name == name }) else { return }
        let own = metric.dimensions + [metric.histogram?.name].compactMap { $0 }
        var asked = Asked(
            kind: kind, metric: metric, dimensions: own.map(\.text) + derivedNames(of: metric.dimensions), body: body)
        asked.by = splits(of: asked)
        asked.filters = filters(body[.where], of: asked)
        for filter in asked.filters where asked.by.contains(filter.dimension) {
            problems.add(
                body[.where], "'\(filter.dimension)' is in 'by' already; one bucket of it can't be split further")
        }
        guard fits(asked), let computed = computed(asked) else { return }
        var kept = asked.by + asked.filters.map(\.dimension)
        if case .share(of: _, part: let part?) = computed { kept.append(part.dimension) }
        checkGrains(of: kept, body.subject) { name in
            if asked.by.contains(name) { return body[.by]?.place }
            return body[asked.names(name) ? .where : .part]?.place
        }
        guard let view = view(of: asked), let title else { return }
        insights.append(
            Insight(
                name: InsightName(part.name), title: title, explanation: explanation, metric: name, kind: computed,
                by: asked.by, filters: asked.filters, view: view))
    }

    private mutating func checkKeys(of kind: InsightKind, in body: PlanBody<PlanKeys.Insight>) {
        let owners: [(key: PlanKeys.Insight, kind: InsightKind)] = [
            (.basis, .share), (.part, .share), (.sum, .mean), (.at, .quantiles),
        ]
        for (key, owner) in owners where owner != kind {
            let owned = owner == .quantiles ? "quantiles" : "a \(owner.rawValue)"
            problems.add(body[key], it: "belongs to \(owned); a \(kind.rawValue) has none: leave it out")
        }
    }

    private mutating func splits(of asked: Asked) -> [DimensionName] {
        let value = asked.body[.by]
        let by: [DimensionName] = references(value, to: "dimension of its metric", among: asked.dimensions) ?? []
        if by.count > 2 {
            problems.add(value, it: "names \(by.count) dimensions; at most 2 are allowed: make two insights")
        }
        return by
    }

    private mutating func filters(_ value: PlanValue?, of asked: Asked) -> [Insight.Filter] {
        filters(
            value, noun: "dimension of its metric", among: asked.dimensions,
            bands: asked.metric.histogram.map { ($0.name, bandsOf[asked.metric.name] ?? []) })
    }

    /// Reads `{dimension: bucket}`, each dimension once; notes what is wrong and leaves it out.
    mutating func filters(
        _ value: PlanValue?, noun: String, among dimensions: [String],
        bands: (name: DimensionName, labels: [BucketLabel])?
    ) -> [Insight.Filter] {
        guard let value else { return [] }
        guard let entries = value.entries, !entries.isEmpty else {
            return problems.refuse(
                value, allowed: "dimensions with one bucket each are allowed, such as {os: iOS}") ?? []
        }
        let subject = value.subject
        var filters: [Insight.Filter] = []
        for entry in entries {
            guard dimensions.contains(entry.key) else {
                let advice = NearestName.advice(for: entry.key, among: dimensions, noun: "dimensions in its metric")
                problems.add(entry.place, "\(subject): unknown \(noun) \(YAMLNode.quoted(entry.key))\(advice)")
                continue
            }
            let dimension = DimensionName(entry.key)
            guard !isRevealed(dimension) else {
                problems.add(entry.place, "\(subject): \(Self.unknownBuckets(of: dimension))")
                continue
            }
            let known = dimension == bands?.name ? bands?.labels : buckets[dimension]
            // A dimension that could not be read has its own problem already.
            guard let label = text(PlanValue(node: entry.value, subject: "\(subject) '\(entry.key)'")), let known
            else { continue }
            guard known.contains(BucketLabel(label)) else {
                let advice = NearestName.advice(for: label, among: known.map(\.text), noun: "buckets")
                problems.add(
                    entry.value.place, "\(subject): '\(entry.key)' has no bucket \(YAMLNode.quoted(label))\(advice)")
                continue
            }
            if filters.contains(where: { $0.dimension == dimension }) {
                problems.add(entry.place, "\(subject): '\(entry.key)' is given twice; keep one")
                continue
            }
            filters.append(Insight.Filter(dimension: dimension, bucket: BucketLabel(label)))
        }
        return filters
    }

    private mutating func computed(_ asked: Asked) -> Insight.Kind? {
        let metric = asked.metric
        switch asked.kind {
        case .count: return .count
        case .reach:
            checkReach(of: asked, .kind)
            return .reach
        case .share: return share(asked)
        case .mean:
            guard let value = asked.body[.sum] else {
                return problems.refuse(asked.body, "'sum' is missing; name the sum whose mean is asked for")
            }
            let sum: Name<SumMeasure>? = reference(
                value, to: "sum of metric '\(metric.name)'", among: metric.sums.map(\.name))
            return sum.map { .mean(sum: $0.text) }
        case .distribution: return checkHistogram(of: asked, "a distribution is split by") ? .distribution : nil
        case .quantiles:
            let quantiles = quantiles(in: asked.body)
            guard checkHistogram(of: asked, "quantiles are read from") else { return nil }
            return quantiles.map { .quantiles(at: $0) }
        case .retention:
            guard case .retention = metric.answered else { return lacksAnswer(asked) }
            return answerDimension(of: asked).map { .retention(week: $0) }
        case .frequency where metric.within != nil: return withinDimension(of: asked).map { .frequency(band: $0) }
        case .funnel: return withinDimension(of: asked).map { .funnel(step: $0) }
        case .frequency:
            guard case .frequency = metric.answered else { return lacksAnswer(asked) }
            return answerDimension(of: asked).map { .frequency(band: $0) }
        }
    }

    private mutating func checkHistogram(of asked: Asked, _ use: String) -> Bool {
        let (place, subject) = (asked.body[.kind]?.place, asked.body.subject)
        guard let histogram = asked.metric.histogram else {
            problems.add(
                place,
                "\(subject): metric '\(asked.metric.name)' has no histogram; add one to its measures or ask for "
                    + "another kind")
            return false
        }
        if asked.names(histogram.name) {
            problems.add(place, "\(subject): \(use) its histogram '\(histogram.name)' anyway; name other dimensions")
        }
        return true
    }

    private mutating func lacksAnswer(_ asked: Asked) -> Insight.Kind? {
        problems.refuse(
            asked.body[.kind]?.place,
            "\(asked.body.subject): metric '\(asked.metric.name)' has no 'answered: {\(asked.kind.rawValue): …}'; ask "
                + "a metric that devices answer")
    }

    /// Returns the dimension of what devices answer; one that does not fit is the metric's problem.
    private mutating func answerDimension(of asked: Asked) -> DimensionName? {
        let (metric, by) = (asked.metric, asked.body[.by])
        let field = metric.answered?.field
        let own = dimensions.first { $0.field == field && metric.dimensions.contains($0.name) }?.name
        let name = own ?? metric.histogram.flatMap { $0.field == field ? $0.name : nil }
        if let name, asked.names(name) {
            problems.add(
                asked.body[.kind]?.place,
                "\(asked.body.subject) is split by what devices answer, '\(name)', anyway; name other dimensions")
        } else if asked.by.count > 1 {
            problems.add(by, it: "names \(asked.by.count) dimensions beside what devices answer; at most 1 is allowed")
        }
        return name
    }

    private mutating func checkReach(of asked: Asked, _ key: PlanKeys.Insight) {
        guard !asked.metric.reach else { return }
        problems.add(
            asked.body[key]?.place,
            "\(asked.body.subject) asks for devices, but metric '\(asked.metric.name)' has no 'reach: true' among its "
                + "measures; add it or count events")
    }

    private mutating func share(_ asked: Asked) -> Insight.Kind? {
        let body = asked.body
        let basis: Insight.Basis? = choice(body[.basis])
        if body[.basis] == nil { problems.add(body, "'basis' is missing; a share is one of events or devices") }
        if basis == .devices { checkReach(of: asked, .basis) }
        let parts = filters(body[.part], of: asked)
        if parts.count > 1 { problems.add(body[.part], it: "names \(parts.count) buckets; one is allowed") }
        if body[.part] == nil, asked.by.isEmpty {
            problems.add(body, "a share needs a 'part', such as {os: iOS}, or a 'by' whose buckets are the parts")
        }
        for part in parts where asked.names(part.dimension) {
            problems.add(
                body[.part], "'\(part.dimension)' is in 'by' or 'where' already; a part needs a dimension of its own")
        }
        guard let basis, body[.part] == nil || !parts.isEmpty else { return nil }
        return .share(of: basis, part: parts.first)
    }

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
                body[given[1]], it: "stands beside '\(key.rawValue)'; one of them is allowed: make two insights")
        }
        guard [.count, .reach, .share, .mean].contains(asked.kind) else {
            return problems.refuse(
                value, it: "belongs to a count, reach, share or mean; a \(asked.kind.rawValue) has none: leave it out")
        }
        switch key {
        case .top:
            if by.isEmpty { problems.add(value, it: "ranks the buckets of a dimension; say of which in 'by'") }
            return integer(value, 1...Self.mostRanked).map { .ranking(top: $0) }
        case .change: return choices(value).map { .change(against: $0) }
        default:
            if by.count > 1 {
                problems.add(
                    value, it: "has a line a bucket of 'by', which names \(by.count) dimensions; at most 1 is allowed")
            }
            return integer(value, 2...Self.mostPeriods).map { .trend(periods: $0) }
        }
    }

    /// Reads the parts of `at`, ascending.
    mutating func quantiles(in body: PlanBody<PlanKeys.Insight>) -> [Quantile]? {
        guard let value = body[.at] else {
            return problems.refuse(body, "'at' is missing; say which quantiles, such as [0.5, 0.9] for median and p90")
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
                    "found \(PlanNumber.text(part)); more than 0 and less than 1 is allowed, in thousandths, such as "
                        + "0.5 or 0.95")
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
