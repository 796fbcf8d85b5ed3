internal import ThrongPlan

extension MetricLayout {
    /// How the buckets of a base dimension meet those of another layout's: by the fields and rules that they are made from,
    /// and by name and buckets where that was not kept.
    func overlap(
        of place: Int, _ origins: DimensionOrigins, with other: Int, of layout: MetricLayout, _ others: DimensionOrigins
    ) -> BucketOverlap? {
        let (mine, its) = (dimensions[place], layout.dimensions[other])
        guard mine.coarsening == nil, its.coarsening == nil else { return nil }
        if mine.name == its.name, mine.isSplit(as: its) { return BucketOverlap(same: mine.labels.count) }
        guard !mine.isRevealed, !its.isRevealed else { return nil }
        var best: BucketOverlap?
        for one in origins[mine.name] ?? [] {
            for another in others[its.name] ?? [] {
                guard let found = BucketOverlap(of: one, and: another), found.partners.count == mine.labels.count,
                    found.partners.allSatisfy({ $0.allSatisfy { $0 < its.labels.count } }),
                    best.map({ found.meetings < $0.meetings }) ?? true
                else { continue }
                best = found
            }
        }
        return best
    }

    /// Where another layout has the same dimension: the same buckets of the same field, or made of the same buckets.
    func place(
        of place: Int, _ origins: DimensionOrigins, in other: MetricLayout, _ others: DimensionOrigins
    ) -> Int? {
        let mine = dimensions[place]
        func isSame(_ candidate: Int) -> Bool {
            let its = other.dimensions[candidate]
            guard its.labels.count == mine.labels.count else { return false }
            guard let coarsening = mine.coarsening else {
                return overlap(of: place, origins, with: candidate, of: other, others)
                    == BucketOverlap(same: mine.labels.count)
            }
            return its.coarsening?.buckets == coarsening.buckets
                && self.place(of: coarsening.place, origins, in: other, others) == its.coarsening?.place
        }
        let named = other.dimensions.firstIndex { $0.name == mine.name }
        if let named, isSame(named) { return named }
        return other.dimensions.indices.first(where: isSame)
    }

    /// The same grouping in another layout; nil where that lacks one of its dimensions.
    func translate(
        _ margin: Margin, _ origins: DimensionOrigins, to other: MetricLayout, _ others: DimensionOrigins
    ) -> Margin? {
        let kept = dimensions.indices.filter(margin.keeps)
        let places = kept.compactMap { place(of: $0, origins, in: other, others) }
        return Set(places).count == kept.count ? Margin(keeping: places) : nil
    }
}

extension BucketOverlap {
    /// How many pairs of buckets meet: the fewer, the more is known.
    var meetings: Int { partners.reduce(0) { $0 + $1.count } }
}
