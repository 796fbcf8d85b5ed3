internal import ThrongPlan
internal import ThrongSuppression

/// Where a release's leaves stand: an axis for each base dimension, and one for the stored periods where there are several.
enum CaseGrid {
    /// The grid of a frame; nil where the engine can't work with one.
    ///
    /// - Parameters:
    ///   - slabs: every grouping of every span.
    ///   - slabOfColumn: by column, its slab; nil for a cell that no grouping has.
    ///   - isShown: by slab, whether the release or one before it shows it.
    ///   - columns: by column, its leaves.
    ///   - origins: what the base dimensions are made from: of one field only buckets that meet are possible together.
    static func grid(
        _ frame: ReleaseFrame, slabs: [CubeSlab], slabOfColumn: [Int?], isShown: [Bool], columns: IndexLists,
        origins: DimensionOrigins
    ) -> LeafGrid? {
        let layout = frame.layout
        let bases = layout.dimensions.indices.filter(layout.leaf.keeps)
        let hasParts = frame.parts.count > 1
        var sizes = bases.map { layout.dimensions[$0].labels.count }
        if hasParts { sizes.append(frame.parts.count) }
        guard sizes.count <= LeafGrid.mostAxes else { return nil }
        var places: [LeafGrid.Place] = []
        for part in frame.parts.indices {
            for leaf in frame.leaves(of: part..<part + 1) {
                var place = LeafGrid.Place(repeating: 0)
                for (axis, bucket) in layout.buckets(of: frame.leaves[leaf].cell, in: layout.leaf).enumerated() {
                    place[axis] = Int32(bucket)
                }
                if hasParts { place[bases.count] = Int32(part) }
                places.append(place)
            }
        }
        // Those that may be published come first.
        let order = slabs.indices.sorted { (isShown[$0] ? 0 : 1, $0) < (isShown[$1] ? 0 : 1, $1) }
        var groupingOfSlab = Array(repeating: 0, count: slabs.count)
        for (number, slab) in order.enumerated() { groupingOfSlab[slab] = number }
        let impossible = layout.impossibleLeaves
        let meetings = BucketMeetings(in: layout, origins)
        return LeafGrid(
            sizes: sizes, places: places,
            groupings: order.map { slab in
                var groups = bases.map { kept(of: $0, in: slabs[slab].margin, layout) }
                if hasParts {
                    groups.append(slabs[slab].span == frame.parts.indices ? nil : parts(of: slabs[slab].span, frame))
                }
                return groups
            },
            shownCount: isShown.count { $0 }, groupingOfColumn: slabOfColumn.map { $0.map { groupingOfSlab[$0] } },
            columns: columns,
            isPossible: { place in
                guard meetings.isPossible({ Int(place[$0]) }) else { return false }
                guard let impossible else { return true }
                return !impossible.contains(layout.cell(buckets: bases.indices.map { Int(place[$0]) }, in: layout.leaf))
            })
    }

    /// What a margin keeps of a base dimension: its own buckets, those of what is made of it, or nothing.
    private static func kept(of base: Int, in margin: Margin, _ layout: MetricLayout) -> [Int32]? {
        let size = layout.dimensions[base].labels.count
        if margin.keeps(base) { return Array(0..<Int32(size)) }
        let coarser = layout.dimensions.indices.filter {
            margin.keeps($0) && layout.dimensions[$0].coarsening?.place == base
        }
        if coarser.isEmpty { return nil }
        // Of several coarser dimensions every combination of buckets is a group.
        var groups: [[Int]: Int32] = [:]
        return (0..<size).map { bucket in
            let name = coarser.map { layout.dimensions[$0].coarsening?.buckets[bucket] ?? 0 }
            let group = groups[name] ?? Int32(groups.count)
            groups[name] = group
            return group
        }
    }

    private static func parts(of span: Range<Int>, _ frame: ReleaseFrame) -> [Int32] {
        frame.parts.indices.map { span.contains($0) ? 0 : -1 }
    }
}
