internal import ThrongPlan

/// Every grouping that anybody could ask of a metric, shown or not.
///
/// A small cell must stay unknown whether a report asks for it today, tomorrow or never (disclosure, section 1).
enum MarginUniverse {
    /// Leaves times margins up to which the whole universe is looked at: 2^23 memberships are 32 MB and take seconds.
    static let largestWork = 1 << 23

    /// The margins of a layout, ascending: for each dimension its buckets, one of its coarser groupings, or neither; and
    /// all that are shown. Beyond ``largestWork`` the shown ones and the leaf alone.
    static func margins(of layout: MetricLayout, shown: [Margin], leaves: Int) -> [Margin] {
        let choices = choices(of: layout)
        let number = choices.reduce(1) { $0 > largestWork ? $0 : $0 * $1.count }
        guard number * max(1, leaves) <= largestWork else { return Set(shown + [layout.leaf]).sorted() }
        let all = choices.reduce([Margin.total]) { margins, choice in
            margins.flatMap { margin in choice.map { margin.union($0) } }
        }
        return Set(all + shown).sorted()
    }

    /// By base dimension: not kept, kept, or kept by one of the dimensions that coarsen it.
    private static func choices(of layout: MetricLayout) -> [[Margin]] {
        layout.dimensions.indices.filter { layout.leaf.keeps($0) }.map { base in
            let coarser = layout.dimensions.indices.filter { layout.dimensions[$0].coarsening?.place == base }
            return [.total] + ([base] + coarser).map { Margin(keeping: [$0]) }
        }
    }
}
