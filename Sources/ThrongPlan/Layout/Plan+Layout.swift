extension Plan {
    /// How a metric is laid out in counters.
    ///
    /// - Throws: ``PlanProblem`` where a bucketing cannot be compiled, such as missing user agent rules.
    public func layout(of metric: Metric, rules: UserAgentRules) throws -> MetricLayout {
        guard let purpose = purpose(metric.purpose) else { preconditionFailure("the plan's reader checks purposes") }
        return MetricLayout(
            app: app.name,
            metric: metric.name,
            purpose: purpose.name,
            rotation: purpose.rotation,
            period: metric.period,
            timeZone: app.timeZone,
            dimensions: try cubeDimensions(of: metric).map { dimension in
                MetricLayout.DimensionLayout(
                    name: dimension.name,
                    labels: try dimension.rule.compiled(rules: rules).labels,
                    partitionsDevices: dimension.partitionsDevices,
                    rule: dimension.rule.fingerprint(rules: rules))
            },
            sums: metric.sums,
            contributionBound: metric.contributionBound,
            groupings: groupings(of: metric))
    }

    /// The dimensions of a metric's cube: the ones that it names, then its histogram.
    public func cubeDimensions(of metric: Metric) -> [Dimension] {
        let named = metric.dimensions.compactMap { dimension($0) }
        guard let histogram = metric.histogram else { return named }
        return named + [
            Dimension(
                name: histogram.name,
                title: histogram.unit.isEmpty ? histogram.name.text : "\(histogram.name) (\(histogram.unit))",
                field: histogram.field,
                rule: .bands(edges: histogram.edges),
                partitionsDevices: false)
        ]
    }

    /// The margins that a release of a metric shows: its declared ones and what insights ask for; ascending.
    ///
    /// A metric that declares none shows its total, each dimension alone, and all of them together.
    public func groupings(of metric: Metric) -> [Margin] {
        let names = cubeDimensions(of: metric).map(\.name)
        func margin(_ kept: some Sequence<DimensionName>) -> Margin {
            Margin(keeping: kept.compactMap { names.firstIndex(of: $0) })
        }
        var shown: Set<Margin> = [.total]
        if metric.margins.isEmpty {
            shown.formUnion(names.map { margin([$0]) })
            shown.insert(margin(names))
        } else {
            shown.formUnion(metric.margins.map { margin($0) })
        }
        for insight in insights where insight.metric == metric.name {
            shown.formUnion(insight.groupings(histogram: metric.histogram?.name).map { margin($0) })
        }
        return shown.sorted()
    }
}

extension Insight {
    /// The sets of dimensions whose cells this insight reads.
    public func groupings(histogram: DimensionName?) -> [[DimensionName]] {
        let base = by + filters.map(\.dimension)
        switch kind {
        case .count, .reach, .mean:
            return [base]
        case .share(of: _, part: let part?):
            return [base, base + [part.dimension]]
        case .share(of: _, part: nil):
            return [base, filters.map(\.dimension)]
        case .distribution:
            return [base, base + [histogram].compactMap { $0 }]
        }
    }
}
