internal import ThrongPlan

/// Groups whose devices all sit in one bucket of a sensitive dimension: to publish such a group and its bucket would
/// tell that bucket of everyone in it, however many they are.
///
/// What has to stay possible is that somebody is in another bucket. So the group's empty leaves take part as unknowns,
/// and their sum is a sensitive cell: empty now, and never to be proved small. Readers can't tell that these leaves are
/// empty, because empty and small cells are both absent; combinations that the plan calls impossible are left out.
struct ConcentratedCells {
    /// By part, the empty leaf cells that take part.
    private(set) var siblings: [Set<CellIndex>]
    /// By group, the empty leaf cells that the rest of it would be in, a part each.
    private var groups: [[(part: Int, cell: CellIndex)]] = []

    /// Looks for them in every shown grouping of each part and of all parts together.
    ///
    /// - Complexity: O(sensitive dimensions · groupings · leaves).
    init(in release: ReleaseCase) {
        let header = release.header
        let layout = header.layout
        siblings = release.parts.map { _ in [] }
        let meetings = BucketMeetings(in: layout, release.origins)
        let occupied = release.parts.map { $0.occupied.sorted() }
        let runs = release.parts.count == 1 ? [0..<1] : release.parts.indices.map { $0..<$0 + 1 } + [0..<occupied.count]
        for place in layout.dimensions.indices where header.sensitive?.contains(layout.dimensions[place].name) ?? false
        {
            for margin in header.groupings where !layout.refines(margin, Margin(keeping: [place])) {
                for run in runs { find(place, margin, run, occupied, layout, meetings) }
            }
        }
    }

    private mutating func find(
        _ place: Int, _ margin: Margin, _ run: Range<Int>, _ occupied: [[CellIndex]], _ layout: MetricLayout,
        _ meetings: BucketMeetings
    ) {
        let bucket = layout.projection(from: layout.leaf, to: Margin(keeping: [place]))
        let group = layout.projection(from: layout.leaf, to: margin)
        var buckets: [CellIndex: Set<CellIndex>] = [:]
        for part in run {
            for leaf in occupied[part] {
                buckets[group(leaf), default: []].insert(bucket(leaf))
            }
        }
        var rests: [CellIndex: [(part: Int, cell: CellIndex)]] = [:]
        for part in run {
            for leaf in occupied[part] {
                guard buckets[group(leaf)]?.count == 1 else { continue }
                let others = layout.siblings(of: leaf, along: place, meetings)
                siblings[part].formUnion(others)
                rests[group(leaf), default: []] += others.map { (part, $0) }
            }
        }
        groups += rests.sorted { $0.key < $1.key }.map(\.value)
    }

    /// By group, the leaves of a frame that the rest of it would be in, ascending.
    func complements(in frame: ReleaseFrame) -> [[UInt32]] {
        guard !groups.isEmpty else { return [] }
        var places: [[CellIndex: UInt32]] = []
        for part in frame.parts.indices {
            var inPart: [CellIndex: UInt32] = [:]
            for leaf in frame.leaves(of: part..<part + 1) { inPart[frame.leaves[leaf].cell] = UInt32(leaf) }
            places.append(inPart)
        }
        return groups.map { group in Set(group.compactMap { places[$0.part][$0.cell] }).sorted() }
    }
}

extension MetricLayout {
    /// The leaf cells that differ from one in a single dimension's bucket, and in those of dimensions that look at the same
    /// field, and that can occur.
    func siblings(of cell: CellIndex, along place: Int, _ meetings: BucketMeetings) -> [CellIndex] {
        let own = buckets(of: cell, in: leaf)
        var found = dimensions[place].labels.indices.filter { $0 != own[place] }.map { bucket in
            own.enumerated().map { $0 == place ? bucket : $1 }
        }
        for other in meetings.places(beside: place) {
            found = found.flatMap { buckets in
                dimensions[other].labels.indices.map { bucket in
                    buckets.enumerated().map { $0 == other ? bucket : $1 }
                }
            }
        }
        return found.filter { buckets in meetings.isPossible { buckets[$0] } }
            .map { self.cell(buckets: $0, in: leaf) }.filter { !isImpossible($0, in: leaf) }
    }
}
