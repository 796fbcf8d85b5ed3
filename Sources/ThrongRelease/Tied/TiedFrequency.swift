internal import ThrongPlan
internal import ThrongSuppression

/// Identifiers by how often they sent something, beside how often that was sent: each band's edges bound the events.
///
/// Of 43 identifiers that sent twice to four times or oftener, 95 events leave three at most for "5 and more": neither metric
/// says so by itself. Windows that go on after midnight and events that came for one of the two only make the bounds
/// softer than the attacker may believe; where counters contradict them, they are none.
struct TiedFrequency {
    private let board: TiedBoard
    private let bounds: [LeafBound]
    private let header: ReleaseHeader
    /// By own column: it may be withheld. Of a frequency these are its bands, of a count all, the finest first.
    private let mayHide: [Bool]

    /// Nil where no frequency and count of the same events stand beside each other.
    ///
    /// - Complexity: O(leaves · identities · log).
    init?(_ tied: TiedCase, header: ReleaseHeader) {
        guard tied.tables.contains(where: { $0.bands != nil }) else { return nil }
        let tables = tied.tables
        let board = TiedBoard(
            tables, measures: tables.map { _ in 0 },
            rule: DifferenceRule(
                threshold: header.threshold, protection: header.protection ?? .standard, span: nil))
        var bounds: [LeafBound] = []
        for identity in tied.identities where identity.rest == .none && identity.parts.count == 1 {
            guard let share = TiedShare(identity, among: tied.sources, tables: tables, firstLeaf: board.firstLeaf)
            else { continue }
            bounds += Self.bounds(of: share, tables: tables, board)
        }
        bounds.removeAll { !$0.holds(of: board.values) }
        guard !bounds.isEmpty else { return nil }
        self.board = board
        self.bounds = bounds
        self.header = header
        let own = tables[0]
        mayHide = own.laid.origins.enumerated().map { column, origin in
            guard let origin, !own.laid.problem.cells[column].isForced else { return false }
            let margin = own.laid.slabs[origin.slab].margin
            return own.bandPlace.map { margin.keeps($0) } ?? true
        }
    }

    /// What the events of each class that both have say of the identifiers that sent them.
    private static func bounds(of share: TiedShare, tables: [TiedTable], _ board: TiedBoard) -> [LeafBound] {
        var frequencies: [UInt32: ClosedRange<Int64>] = [:]
        for (table, first) in zip(tables, board.firstLeaf) {
            guard let bands = table.bands else { continue }
            for leaf in table.laid.frame.leaves.indices { frequencies[UInt32(first + leaf)] = bands[leaf] }
        }
        let most = share.members.filter { $0.layout.within == nil }.map { Int64($0.layout.contributionBound) }.max()
        guard let most, share.members.contains(where: { $0.bands != nil }) else { return [] }
        return share.sides.sorted { $0.key < $1.key }.flatMap { _, side -> [LeafBound] in
            let isOften = side.whole.first.map { frequencies[$0] != nil } ?? false
            let (often, events) = isOften ? (side.whole, side.parts) : (side.parts, side.whole)
            let ranges = often.compactMap { frequencies[$0] }
            // Two frequencies of the same events bound nothing, and neither does a funnel.
            guard ranges.count == often.count, !often.isEmpty, !events.isEmpty,
                events.allSatisfy({ frequencies[$0] == nil })
            else { return [] }
            // A metric counts no more of an identifier than its bound lets it.
            return [
                LeafBound(events.map { ($0, 1) } + zip(often, ranges).map { ($0, -min($1.lowerBound, most)) }),
                LeafBound(events.map { ($0, -1) } + zip(often, ranges).map { ($0, min($1.upperBound, most)) }),
            ]
        }
    }

    /// Holds back what would prove a cell of either metric small.
    ///
    /// - Parameter kept: by own column: what may leave; only ever becomes less.
    /// - Complexity: a linear program for each sensitive cell and direction, and one for each cell that is hidden.
    func narrow(_ kept: inout [Bool], seconds: Double) throws(SuppressionError) {
        let problem = try SuppressionProblem(
            measures: [
                AdditiveMeasure(
                    values: board.values,
                    protection: .surrounds(percent: (header.protection ?? .standard).percent))
            ],
            columns: board.columns, cells: board.cells, relations: [], threshold: header.threshold.devices)
        let others = board.cells.dropFirst(mayHide.count)
        let published = kept.enumerated().map { $1 || board.cells[$0].isForced } + others.map(\.isForced)
        let finding = JointRepair(
            problem, bounds: bounds, mayHide: mayHide + others.map { _ in false }, seconds: seconds
        ).finding(given: published, except: [])
        for column in finding.hidden { kept[Int(column.value)] = false }
    }
}

extension TiedTable {
    /// The dimension of how often; nil where the metric counts anything else.
    fileprivate var bandPlace: Int? {
        guard case .frequency? = layout.within else { return nil }
        // It is the last of the base dimensions.
        return layout.dimensions.indices.last(where: layout.leaf.keeps)
    }

    /// By leaf, how many events each of its identifiers sent; nil where the metric counts anything else.
    fileprivate var bands: [ClosedRange<Int64>]? {
        guard case .frequency(let edges)? = layout.within else { return nil }
        let ranges = edges.enumerated().map { place, edge in
            Int64(edge)...(place + 1 < edges.count ? Int64(edges[place + 1] - 1) : Int64(Int32.max))
        }
        return laid.frame.leaves.map { leaf in
            layout.buckets(of: leaf.cell, in: layout.leaf).last.map { ranges[$0] } ?? 1...Int64(Int32.max)
        }
    }
}
