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
                    rule: .list(within.labels.map { BucketGroup(label: $0, values: []) }), partitionsDevices: true,
                    titles: within.titles)
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

extension MetricLayout {
    /// True if every leaf below a cell lies in an impossible combination, so that the cell must be empty.
    ///
    /// A cell without any leaf is impossible too: two dimensions made of the same buckets can contradict each other.
    /// - Complexity: O(combinations) for nearly all cells; a few times that where combinations cover a cell piece by
    ///   piece.
    package func isImpossible(_ cell: CellIndex, in margin: Margin) -> Bool {
        if impossible.isEmpty, leaf.refines(margin) { return false }
        var open = dimensions.map { Array($0.labels.indices) }
        let kept = dimensions.indices.filter(margin.keeps)
        for (place, bucket) in zip(kept, buckets(of: cell, in: margin)) {
            if let coarsening = dimensions[place].coarsening {
                open[coarsening.place].removeAll { coarsening.buckets[$0] != bucket }
            } else {
                open[place].removeAll { $0 != bucket }
            }
        }
        return open.contains(where: \.isEmpty) || Self.covers(impossiblePlaces, open)
    }

    /// The leaf cells that lie in an impossible combination; nil if there are no combinations.
    ///
    /// - Complexity: O(leaf cells × combinations).
    package var impossibleLeaves: CellSet? {
        let combinations = impossiblePlaces
        if combinations.isEmpty { return nil }
        let size = size(of: leaf)
        var strides = Array(repeating: 1, count: dimensions.count)
        for place in dimensions.indices.reversed() where leaf.keeps(place) {
            strides[place] = dimensions[(place + 1)...].reduce(1) { $1.coarsening == nil ? $0 * $1.labels.count : $0 }
        }
        var leaves = CellSet(count: size)
        for cell in 0..<size {
            let isImpossible = combinations.contains { combination in
                combination.allSatisfy { cell / strides[$0.place] % dimensions[$0.place].labels.count == $0.bucket }
            }
            if isImpossible { leaves.insert(CellIndex(UInt32(cell))) }
        }
        return leaves
    }

    /// One bucket of one dimension, both as indices.
    private struct Place {
        let place: Int
        let bucket: Int
    }

    /// The combinations by place and bucket; one that names what the layout does not have matches nothing.
    private var impossiblePlaces: [[Place]] {
        impossible.compactMap { combination in
            let places = combination.parts.compactMap { part -> Place? in
                guard let place = dimensions.firstIndex(where: { $0.name == part.dimension }),
                    dimensions[place].coarsening == nil,
                    let bucket = dimensions[place].labels.firstIndex(of: part.bucket)
                else { return nil }
                return Place(place: place, bucket: bucket)
            }
            return places.count == combination.parts.count ? places : nil
        }
    }

    /// True if each choice of one open bucket per dimension lies in one of the combinations.
    private static func covers(_ combinations: [[Place]], _ open: [[Int]]) -> Bool {
        let possible = combinations.filter { $0.allSatisfy { open[$0.place].contains($0.bucket) } }
        if possible.contains(where: { $0.allSatisfy { open[$0.place].count == 1 } }) { return true }
        // Split the first combination's first open dimension, unnamed buckets first: they refute the soonest.
        guard let split = possible.first?.first(where: { open[$0.place].count > 1 })?.place else { return false }
        let named = Set(possible.flatMap { $0 }.filter { $0.place == split }.map(\.bucket))
        let unnamed = open[split].first { !named.contains($0) }
        for bucket in [unnamed].compactMap({ $0 }) + open[split].filter(named.contains) {
            var rest = open
            rest[split] = [bucket]
            if !covers(possible, rest) { return false }
        }
        return true
    }

    /// True if any of the metric's dimensions learns its buckets while counting goes on.
    package var isRevealing: Bool { dimensions.contains(where: \.isRevealed) }

    /// The layout of the counters, whose slots have no labels and which chose no bound; a release keeps its own.
    package var counted: MetricLayout {
        let layout = bounded(by: Metric.firstBound)
        return isRevealing ? layout.named([:]) : layout
    }

    /// Returns the layout with the bound of a release, where releases choose it.
    package func bounded(by bound: Int) -> MetricLayout {
        var layout = self
        if rungs != nil { layout.contributionBound = bound }
        return layout
    }

    /// Returns the layout with labels in its slots, by dimension and slot; the other slots have none.
    package func named(_ labels: [DimensionName: [Int: BucketLabel]]) -> MetricLayout {
        var result = self
        result.dimensions = dimensions.map { dimension in
            guard dimension.isRevealed else { return dimension }
            let other = dimension.labels.count - 1
            let known = labels[dimension.name] ?? [:]
            return DimensionLayout(
                name: dimension.name, labels: (0..<other).map { known[$0] ?? .vacant($0) } + [.other],
                partitionsDevices: dimension.partitionsDevices, rule: dimension.rule)
        }
        return result
    }

    /// Returns the number of a margin's cells that readers see: none of slots without a label.
    package func shownSize(of margin: Margin) -> Int {
        dimensions.indices.reduce(1) { margin.keeps($1) ? $0 * dimensions[$1].shownBuckets.count : $0 }
    }
}

extension MetricLayout.DimensionLayout {
    /// The start of the rule of a dimension whose buckets are learned.
    static let revealedKind = "revealed"

    /// True if the dimension's buckets are slots that get their labels while counting goes on.
    package var isRevealed: Bool { rule.hasPrefix(Self.revealedKind + " ") }

    package func isVacant(_ bucket: Int) -> Bool { isRevealed && labels[bucket].isVacant }

    /// The buckets that readers see, in their order: learned ones by their labels, `other` last.
    package var shownBuckets: [Int] {
        guard isRevealed else { return Array(labels.indices) }
        let learned = labels.indices.dropLast().filter { !labels[$0].isVacant }
        return learned.sorted { labels[$0].text.precedes(labels[$1].text) } + [labels.count - 1]
    }

    package var shownLabels: [BucketLabel] { shownBuckets.map { labels[$0] } }

    /// True if another dimension splits by the same rule into the same buckets; the labels of slots don't matter.
    package func isSplit(as other: Self) -> Bool {
        rule == other.rule && (isRevealed ? labels.count == other.labels.count : labels == other.labels)
    }
}
