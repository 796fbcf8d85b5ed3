extension Plan {
    /// Returns the layout of a metric's counters.
    ///
    /// - Throws: ``PlanProblem`` where a bucketing cannot be compiled, such as missing user agent rules.
    package func layout(of metric: Metric, rules: UserAgentRules) throws -> MetricLayout {
        try layout(of: metric) { rule in (try rule.compiled(rules: rules).labels, rule.fingerprint(rules: rules)) }
    }

    /// Returns the layout with the right buckets but without their rules, for what depends on sizes only.
    ///
    /// - Throws: ``PlanProblem`` where a bucketing cannot be compiled.
    func layoutByLabel(of metric: Metric) throws -> MetricLayout {
        try layout(of: metric) { rule in (try rule.labels(), "") }
    }

    private func layout(
        of metric: Metric, by rule: (BucketingRule) throws -> (labels: [BucketLabel], fingerprint: String)
    ) throws -> MetricLayout {
        guard let purpose = purpose(metric.purpose) else { preconditionFailure("the plan's reader checks purposes") }
        let base = try cubeDimensions(of: metric).map { dimension in
            if let within = metric.within, within.name == dimension.name {
                return MetricLayout.DimensionLayout(
                    name: within.name, labels: within.labels, partitionsDevices: true, rule: within.fingerprint)
            }
            let (labels, fingerprint) = try rule(dimension.rule)
            return MetricLayout.DimensionLayout(
                name: dimension.name, labels: labels, partitionsDevices: dimension.partitionsDevices, rule: fingerprint)
        }
        let derived = derivedDimensions(of: metric).compactMap { dimension in
            base.firstIndex { $0.name == dimension.base }.map { place in
                MetricLayout.DimensionLayout(
                    name: dimension.name, labels: dimension.labels, partitionsDevices: dimension.partitionsDevices,
                    rule: "of \(dimension.base)",
                    coarsening: .init(place: place, buckets: dimension.buckets(of: base[place].labels)))
            }
        }
        return MetricLayout(
            app: app.name, metric: metric.name, purpose: purpose.name, rotation: purpose.rotation,
            period: metric.period, timeZone: app.timeZone, dimensions: base + derived, sums: metric.sums,
            contributionBound: metric.contributionBound, choosesBound: metric.choosesBound, sampling: metric.sampling,
            groupings: groupings(of: metric), impossible: metric.impossible, hasIdentifiers: purpose.hasIdentifiers,
            firstPeriods: metric.firstPeriods, provedPeriods: metric.provedPeriods, within: metric.within?.layout,
            floor: purpose.floor)
    }

    /// Returns the dimensions of a metric's cube: those it names, then its histogram or its measure of identifiers.
    package func cubeDimensions(of metric: Metric) -> [Dimension] {
        let named = metric.dimensions.compactMap { dimension($0) }
        if let within = metric.within {
            // Only the daemon fills it: it is made from no field.
            return named + [
                Dimension(
                    name: within.name, title: within.title, field: .event,
                    rule: .list(within.labels.map { BucketGroup(label: $0, values: []) }), partitionsDevices: true)
            ]
        }
        guard let histogram = metric.histogram else { return named }
        let title = histogram.title ?? histogram.name.text
        return named + [
            Dimension(
                name: histogram.name, title: histogram.unit.isEmpty ? title : "\(title) (\(histogram.unit))",
                field: histogram.field, rule: .bands(edges: histogram.edges), partitionsDevices: false)
        ]
    }

    /// Returns the derived dimensions that a metric's groupings use, in the plan's order: they follow the cube's.
    package func derivedDimensions(of metric: Metric) -> [DerivedDimension] {
        let used = Set(namedGroupings(of: metric).joined())
        return derivedDimensions.filter { used.contains($0.name) }
    }

    /// Returns the margins that a release shows, ascending: declared ones, or the total, each dimension and all
    /// together, and what insights ask for.
    package func groupings(of metric: Metric) -> [Margin] {
        let names = cubeDimensions(of: metric).map(\.name) + derivedDimensions(of: metric).map(\.name)
        let shown = namedGroupings(of: metric).map { kept in
            Margin(keeping: kept.compactMap { names.firstIndex(of: $0) })
        }
        return Set(shown).sorted()
    }

    /// Returns ``groupings(of:)`` by the names of the kept dimensions, in the same order; the total keeps none.
    package func groupingNames(of metric: Metric) -> [[DimensionName]] {
        let names = cubeDimensions(of: metric).map(\.name) + derivedDimensions(of: metric).map(\.name)
        return groupings(of: metric).map { margin in names.indices.filter(margin.keeps).map { names[$0] } }
    }

    /// Returns the groupings by name, in no order; some may come twice.
    private func namedGroupings(of metric: Metric) -> [[DimensionName]] {
        let names = cubeDimensions(of: metric).map(\.name)
        let declared = metric.margins.isEmpty ? names.map { [$0] } + [names] : metric.margins
        let asked = insights.filter { $0.metric == metric.name }
            .flatMap { $0.groupings(histogram: metric.histogram?.name) }
        return [[]] + metric.coarsened([[]] + declared + asked)
    }
}

extension Metric {
    /// Returns the groupings and those that age makes of them. A release has the coarser numbers beside the finer ones
    /// from the start, decided together, so that nothing new is told when the finer ones go.
    fileprivate func coarsened(_ groupings: [[DimensionName]]) -> [[DimensionName]] {
        decay.reduce(into: groupings) { all, step in
            guard case .coarsen(let from, let to) = step.action else { return }
            all += all.filter { $0.contains(from) }.map { kept in kept.map { $0 == from ? to : $0 } }
        }
    }
}

extension Insight {
    package func groupings(histogram: DimensionName?) -> [[DimensionName]] {
        let base = by + filters.map(\.dimension)
        switch kind {
        case .count, .reach, .mean: return [base]
        case .share(of: _, part: let part?): return [base, base + [part.dimension]]
        case .retention(let answer), .frequency(let answer), .funnel(let answer): return [base, base + [answer]]
        case .share(of: _, part: nil): return [base, filters.map(\.dimension)]
        case .distribution, .quantiles: return [base, base + [histogram].compactMap { $0 }]
        }
    }
}
