internal import ThrongPlan

/// Which runs of stored periods are or were released, and what was published about each.
struct Spans {
    /// What the release itself covers: every part.
    let own: Range<Int>
    /// All runs, the shortest first, the release's own last.
    let all: [Range<Int>]
    /// By run, the groupings that its release shows.
    let shown: [Range<Int>: [Margin]]
    private let published: [Range<Int>: [Margin: Set<CellIndex>]]

    /// - Parameters:
    ///   - others: groupings that tied metrics show; every run has them, so that what they tell counts as known.
    ///   - isEvidence: whether parts will have releases of their own, made or not: their small cells are protected beforehand.
    init(of release: ReleaseCase, frame: ReleaseFrame, others: Set<Margin> = [], isEvidence: Bool = false) {
        own = release.parts.indices.startIndex..<release.parts.count
        var shown: [Range<Int>: [Margin]] = [:]
        var published: [Range<Int>: [Margin: Set<CellIndex>]] = [:]
        for earlier in release.earlier {
            let span = frame.span(of: earlier.header.period)
            guard !span.isEmpty else { continue }
            shown[span] = Set((shown[span] ?? []) + earlier.header.groupings).sorted()
            for cell in earlier.cells { published[span, default: [:]][cell.margin, default: []].insert(cell.cell) }
        }
        // Of a week with one counted day both releases cover the same leaves.
        shown[own] = Set((shown[own] ?? []) + release.header.groupings).sorted()
        if isEvidence {
            for part in own { shown[part..<part + 1] = shown[part..<part + 1] ?? release.header.groupings }
        }
        if !others.isEmpty { shown = shown.mapValues { others.union($0).sorted() } }
        self.shown = shown
        self.published = published
        all = shown.keys.sorted { ($0.count, $0.lowerBound) < ($1.count, $1.lowerBound) }
    }

    /// The cells of a slab that everybody has already.
    func published(_ slab: CubeSlab) -> Set<CellIndex> { published[slab.span]?[slab.margin] ?? [] }

    /// The largest runs that make up a run together, each with a release of its own; nil where they leave a gap.
    func pieces(of span: Range<Int>) -> [Range<Int>]? {
        var pieces: [Range<Int>] = []
        var next = span.lowerBound
        while next < span.upperBound {
            let piece = all.last { $0 != span && $0.lowerBound == next && $0.upperBound <= span.upperBound }
            guard let piece else { return nil }
            pieces.append(piece)
            next = piece.upperBound
        }
        return pieces
    }
}
