internal import ThrongPlan
internal import ThrongSuppression

/// Which cells add up to which: a coarser grouping's cell is the sum of a finer one's, a week's of its days'.
struct Relations {
    /// For L2. Relations with one child are left out: parent and child are the same number.
    private(set) var all: [AdditiveRelation] = []

    private let slabs: [CubeSlab]
    private let columns: [[UInt32?]]

    /// Finds the relations among shown groupings.
    ///
    /// - Complexity: O(pairs of groupings · cells).
    init(slabs: [CubeSlab], columns: [[UInt32?]], spans: Spans, layout: MetricLayout) {
        self.slabs = slabs
        self.columns = columns
        var places: [Range<Int>: [Margin: Int]] = [:]
        for (number, slab) in slabs.enumerated() where spans.shown[slab.span]?.contains(slab.margin) ?? false {
            places[slab.span, default: [:]][slab.margin] = number
        }
        for span in spans.all {
            let shown = (places[span] ?? [:]).sorted { $0.key < $1.key }
            for (fine, child) in shown {
                for (coarse, parent) in shown where fine != coarse && layout.refines(fine, coarse) {
                    add(parent, of: [child], cell: layout.projection(from: fine, to: coarse).callAsFunction)
                }
            }
            guard let pieces = spans.pieces(of: span), pieces.count > 1 else { continue }
            for (margin, parent) in shown {
                let children = pieces.map { places[$0]?[margin] }
                // A piece without that grouping hides all of it, and no subtraction reveals anything.
                guard !children.contains(nil) else { continue }
                add(parent, of: children.compactMap { $0 }, cell: { $0 })
            }
        }
    }

    private mutating func add(_ parent: Int, of finer: [Int], cell coarse: (CellIndex) -> CellIndex) {
        var children: [CellIndex: [ColumnIndex]] = [:]
        for slab in finer {
            for (place, cell) in slabs[slab].cells.enumerated() {
                guard let column = columns[slab][place] else { continue }
                children[coarse(cell), default: []].append(ColumnIndex(column))
            }
        }
        for (place, cell) in slabs[parent].cells.enumerated() {
            guard let column = columns[parent][place], let parts = children[cell], parts.count > 1 else { continue }
            all.append(AdditiveRelation(parent: ColumnIndex(column), children: parts))
        }
    }
}
