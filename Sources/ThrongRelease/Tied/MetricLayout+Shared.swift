internal import ThrongPlan

extension MetricLayout {
    /// Where another layout has the same dimension: the same name, buckets and rule, made of the same buckets if any.
    func place(of place: Int, in other: MetricLayout) -> Int? {
        let mine = dimensions[place]
        return other.dimensions.firstIndex { its in
            guard its.name == mine.name, its.isSplit(as: mine) else { return false }
            guard let coarsening = mine.coarsening else { return its.coarsening == nil }
            return its.coarsening?.buckets == coarsening.buckets
                && self.place(of: coarsening.place, in: other) == its.coarsening?.place
        }
    }

    /// The same grouping in another layout; nil where that lacks one of its dimensions.
    func translate(_ margin: Margin, to other: MetricLayout) -> Margin? {
        let kept = dimensions.indices.filter(margin.keeps)
        let places = kept.compactMap { place(of: $0, in: other) }
        return places.count == kept.count ? Margin(keeping: places) : nil
    }
}
