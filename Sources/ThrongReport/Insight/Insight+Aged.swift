internal import ThrongPlan
internal import ThrongRelease

extension Insight {
    /// Returns the part of the insight that a release still answers where age has taken dimensions that it is broken
    /// down by. Each such dimension gives way to the finest one that is made of the same and that numbers are kept by,
    /// or to none.
    ///
    /// - Returns: the coarser insight and, in the order of ``by``, what gave way to what; nil where nothing of it is
    ///   left, or age took nothing.
    func coarsened(
        to release: Release, plan: Plan
    ) -> (insight: Insight, aged: [(from: DimensionName, to: DimensionName?)])? {
        guard by.contains(where: release.aged.contains) else { return nil }
        let choices = by.map { name -> [DimensionName?] in
            release.aged.contains(name) ? release.coarser(than: name).map(Optional.some) + [nil] : [name]
        }
        let combinations = choices.reduce([[DimensionName?]]()) { partial, names in
            partial.isEmpty ? names.map { [$0] } : partial.flatMap { head in names.map { head + [$0] } }
        }
        for names in combinations {
            let left = names.compactMap(\.self)
            var insight = self
            (insight.by, insight.view) = (left, view.splitting(left.isEmpty))
            guard Set(left).count == left.count,
                InsightReading(of: insight, plan: plan, release: release) != nil
            else { continue }
            return (insight, zip(by, names).filter { $0 != $1 }.map { (from: $0, to: $1) })
        }
        return nil
    }
}

extension Insight {
    func isAged(in release: Release, plan: Plan) -> Bool {
        var names = usedDimensions
        switch kind {
        case .retention(let answer), .frequency(let answer), .funnel(let answer): names.append(answer)
        case .distribution, .quantiles: names += [plan.metric(metric)?.histogram?.name].compactMap(\.self)
        case .count, .reach, .share, .mean: break
        }
        return names.contains(where: release.aged.contains)
    }
}

extension Insight.View {
    /// A single number has no rank.
    fileprivate func splitting(_ isSingle: Bool) -> Self {
        if isSingle, case .ranking = self { return .table }
        return self
    }
}

extension Release {
    /// The dimensions that are made of the same one as another, that is the same field's finer buckets, and that age
    /// has left; the finest first.
    fileprivate func coarser(than name: DimensionName) -> [DimensionName] {
        let dimensions = header.layout.dimensions
        guard let place = dimensions.firstIndex(where: { $0.name == name }) else { return [] }
        let base = dimensions[place].coarsening?.place ?? place
        return dimensions.indices.filter {
            $0 != place && dimensions[$0].coarsening?.place == base && !aged.contains(dimensions[$0].name)
        }.sorted { (-dimensions[$0].labels.count, $0) < (-dimensions[$1].labels.count, $1) }.map { dimensions[$0].name }
    }
}
