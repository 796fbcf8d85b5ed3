extension PlanReader {
    enum InsightKind: String, CaseIterable {
        case count, reach, share, mean, distribution, quantiles, retention, frequency, funnel
    }

    mutating func readInsight(_ part: Part) {
        guard let body: PlanBody<PlanKeys.Insight> = body(of: part, .insight) else { return }
        let title = words(.title, in: body, of: "insights.\(part.name)")
        let explanation = words(.explanation, in: body, of: "insights.\(part.name)", longest: 600)
        let kind: InsightKind? = choice(.kind, in: body)
        let name: MetricName? = reference(.metric, in: body, to: .metric)
        if let kind { checkKeys(of: kind, in: body) }
        // A metric that could not be read has its own problems; what depends on it is not checked again.
        guard let kind, let name, let metric = metrics.first(where: { $0.name == name }) else { return }
        let dimensions = dimensions(of: metric)
        let by: [DimensionName] = splits(in: body, among: dimensions)
        let filters = filters(.whereBuckets, in: body, of: metric, among: dimensions)
        for filter in filters where by.contains(filter.dimension) {
            problems.add(
                body[.whereBuckets]?.place,
                """
                \(body.subject(.whereBuckets)): '\(filter.dimension)' is in 'by' already; one bucket of it can't be \
                split further
                """)
        }
        guard fits(kind, metric, in: body) else { return }
        guard let computed = computed(kind, in: body, of: metric, by: by, filters: filters) else { return }
        var kept = by + filters.map(\.dimension)
        if case .share(of: _, part: let part?) = computed { kept.append(part.dimension) }
        checkGrains(of: kept, body.subject) { name in
            if by.contains(name) { return body[.by]?.place }
            return (filters.contains { $0.dimension == name } ? body[.whereBuckets] : body[.part])?.place
        }
        let view = view(of: kind, in: body, by: by)
        guard let title, let view else { return }
        insights.append(
            Insight(
                name: InsightName(part.name), title: title, explanation: explanation, metric: name, kind: computed,
                by: by, filters: filters, view: view))
    }

    /// Returns the dimensions that an insight of a metric may be split by or confined to, also those that are made of
    /// the metric's dimensions.
    private func dimensions(of metric: Metric) -> [String] {
        (metric.dimensions + [metric.histogram?.name].compactMap { $0 }).map(\.text)
            + derivedNames(of: metric.dimensions)
    }

    private mutating func checkKeys(of kind: InsightKind, in body: PlanBody<PlanKeys.Insight>) {
        let allowed: Set<PlanKeys.Insight> =
            switch kind {
            case .count, .reach, .distribution, .retention, .frequency, .funnel: []
            case .quantiles: [.at]
            case .share: [.basis, .part]
            case .mean: [.sum]
            }
        let owners: [(key: PlanKeys.Insight, kind: InsightKind)] = [
            (.basis, .share), (.part, .share), (.sum, .mean), (.at, .quantiles),
        ]
        for (key, owner) in owners where !allowed.contains(key) {
            guard let node = body[key] else { continue }
            problems.add(
                node.place,
                """
                \(body.subject(key)) belongs to \(owner == .quantiles ? "quantiles" : "a \(owner.rawValue)"); a \
                \(kind.rawValue) has none: leave it out
                """)
        }
    }

    private mutating func splits(in body: PlanBody<PlanKeys.Insight>, among dimensions: [String]) -> [DimensionName] {
        guard let node = body[.by] else { return [] }
        let by: [DimensionName] =
            references(node, body.subject(.by), to: "dimension of its metric", among: dimensions) ?? []
        if by.count > 2 {
            problems.add(
                node.place,
                "\(body.subject(.by)) names \(by.count) dimensions; at most 2 are allowed: make two insights")
        }
        return by
    }

    /// Reads `{dimension: bucket}`.
    private mutating func filters(
        _ key: PlanKeys.Insight, in body: PlanBody<PlanKeys.Insight>, of metric: Metric, among dimensions: [String]
    ) -> [Insight.Filter] {
        guard let node = body[key] else { return [] }
        return filters(
            node, body.subject(key), noun: "dimension of its metric", among: dimensions,
            bands: metric.histogram.map { ($0.name, bandsOf[metric.name] ?? []) })
    }

    /// Reads `{dimension: bucket}`, each dimension once; notes what is wrong and leaves it out.
    mutating func filters(
        _ node: YAMLNode, _ subject: String, noun: String, among dimensions: [String],
        bands: (name: DimensionName, labels: [BucketLabel])?
    ) -> [Insight.Filter] {
        guard case .mapping(let entries) = node.content, !entries.isEmpty else {
            return problems.refuse(
                node, subject, "dimensions with one bucket each are allowed, such as {os: iOS}") ?? []
        }
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
            guard let label = text(entry.value, "\(subject) '\(entry.key)'") else { continue }
            let known = dimension == bands?.name ? bands?.labels : buckets[dimension]
            // A dimension that could not be read has its own problem already.
            guard let labels = known else { continue }
            guard labels.contains(BucketLabel(label)) else {
                let advice = NearestName.advice(for: label, among: labels.map(\.text), noun: "buckets")
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

    private mutating func computed(
        _ kind: InsightKind, in body: PlanBody<PlanKeys.Insight>, of metric: Metric, by: [DimensionName],
        filters: [Insight.Filter]
    ) -> Insight.Kind? {
        switch kind {
        case .count:
            return .count
        case .reach:
            checkReach(of: metric, in: body, body[.kind]?.place)
            return .reach
        case .share:
            return share(in: body, of: metric, by: by, filters: filters)
        case .mean:
            guard body[.sum] != nil else {
                return problems.refuse(
                    body.place, "\(body.subject): 'sum' is missing; name the sum whose mean is asked for")
            }
            let sum: Name<SumMeasure>? = body[.sum].flatMap {
                reference($0, body.subject(.sum), to: "sum of metric '\(metric.name)'", among: metric.sums.map(\.name))
            }
            return sum.map { .mean(sum: $0.text) }
        case .distribution:
            return checkHistogram(of: metric, for: kind, in: body, by: by, filters: filters) ? .distribution : nil
        case .quantiles:
            let quantiles = quantiles(in: body)
            guard checkHistogram(of: metric, for: kind, in: body, by: by, filters: filters) else { return nil }
            return quantiles.map { .quantiles(at: $0) }
        case .retention:
            guard case .retention = metric.answered else { return lacksAnswer(kind, of: metric, in: body) }
            return answerDimension(of: metric, in: body, by: by, filters: filters).map { .retention(week: $0) }
        case .frequency where metric.within != nil:
            return withinDimension(of: metric, in: body, by: by).map { .frequency(band: $0) }
        case .funnel:
            return withinDimension(of: metric, in: body, by: by).map { .funnel(step: $0) }
        case .frequency:
            guard case .frequency = metric.answered else { return lacksAnswer(kind, of: metric, in: body) }
            return answerDimension(of: metric, in: body, by: by, filters: filters).map { .frequency(band: $0) }
        }
    }

    private mutating func checkHistogram(
        of metric: Metric, for kind: InsightKind, in body: PlanBody<PlanKeys.Insight>, by: [DimensionName],
        filters: [Insight.Filter]
    ) -> Bool {
        guard let histogram = metric.histogram else {
            problems.add(
                body[.kind]?.place,
                """
                \(body.subject): metric '\(metric.name)' has no histogram; add one to its measures or ask for \
                another kind
                """)
            return false
        }
        if by.contains(histogram.name) || filters.contains(where: { $0.dimension == histogram.name }) {
            let use = kind == .distribution ? "a distribution is split by" : "quantiles are read from"
            problems.add(
                body[.kind]?.place,
                "\(body.subject): \(use) its histogram '\(histogram.name)' anyway; name other dimensions"
            )
        }
        return true
    }

    private mutating func lacksAnswer(
        _ kind: InsightKind, of metric: Metric, in body: PlanBody<PlanKeys.Insight>
    ) -> Insight.Kind? {
        return problems.refuse(
            body[.kind]?.place,
            """
            \(body.subject): metric '\(metric.name)' has no 'answered: {\(kind.rawValue): …}'; ask a metric that devices \
            answer
            """)
    }

    /// Returns the dimension of what devices answer; one that does not fit is the metric's problem.
    private mutating func answerDimension(
        of metric: Metric, in body: PlanBody<PlanKeys.Insight>, by: [DimensionName], filters: [Insight.Filter]
    ) -> DimensionName? {
        let field = metric.answered?.field
        let own = dimensions.first { $0.field == field && metric.dimensions.contains($0.name) }?.name
        let name = own ?? metric.histogram.flatMap { $0.field == field ? $0.name : nil }
        if let name, by.contains(name) || filters.contains(where: { $0.dimension == name }) {
            problems.add(
                body[.kind]?.place,
                "\(body.subject) is split by what devices answer, '\(name)', anyway; name other dimensions")
        } else if by.count > 1 {
            problems.add(
                body[.by]?.place,
                "\(body.subject(.by)) names \(by.count) dimensions beside what devices answer; at most 1 is allowed")
        }
        return name
    }

    private mutating func checkReach(
        of metric: Metric, in body: PlanBody<PlanKeys.Insight>, _ place: YAMLNode.Place?
    ) {
        guard !metric.reach else { return }
        problems.add(
            place,
            """
            \(body.subject) asks for devices, but metric '\(metric.name)' has no 'reach: true' among its measures; \
            add it or count events
            """)
    }

    private mutating func share(
        in body: PlanBody<PlanKeys.Insight>, of metric: Metric, by: [DimensionName], filters: [Insight.Filter]
    ) -> Insight.Kind? {
        let basis: Insight.Basis? = choice(.basis, in: body)
        if body[.basis] == nil {
            problems.add(body.place, "\(body.subject): 'basis' is missing; a share is one of events or devices")
        }
        if basis == .devices { checkReach(of: metric, in: body, body[.basis]?.place) }
        let parts = self.filters(.part, in: body, of: metric, among: dimensions(of: metric))
        if parts.count > 1 {
            problems.add(body[.part]?.place, "\(body.subject(.part)) names \(parts.count) buckets; one is allowed")
        }
        if body[.part] == nil, by.isEmpty {
            problems.add(
                body.place,
                "\(body.subject): a share needs a 'part', such as {os: iOS}, or a 'by' whose buckets are the parts")
        }
        for part in parts
        where by.contains(part.dimension) || filters.contains(where: { $0.dimension == part.dimension }) {
            problems.add(
                body[.part]?.place,
                """
                \(body.subject(.part)): '\(part.dimension)' is in 'by' or 'where' already; a part needs a dimension \
                of its own
                """)
        }
        guard let basis, body[.part] == nil || !parts.isEmpty else { return nil }
        return .share(of: basis, part: parts.first)
    }
}
