internal import ThrongPlan
internal import ThrongSuppression

/// Bands of one metric beside a sum of another that counts the same events: of 91 events that add up to 98 nine at most are 10 or
/// more, though neither metric says so by itself.
///
/// As with ``BandedSums``, bands are taken to be of a sum's field where every counter agrees with that.
struct TiedBands {
    private let board: TiedBoard
    private let beside: BesideLeaves
    private let header: ReleaseHeader
    /// By own column: it is of bands, and may be withheld.
    private let mayHide: [Bool]
    /// By column of the others: it is published, or a total that will be.
    private let othersKnown: [Bool]

    /// Nil where no bands and sum of the same events stand beside each other, or where a program can't hold their tables.
    ///
    /// - Complexity: O(leaves · identities · log).
    init?(_ tied: TiedCase, header: ReleaseHeader) {
        let tables = tied.tables
        let board = TiedBoard(
            tables, measures: tables.map { _ in 0 },
            rule: DifferenceRule(
                threshold: header.threshold, protection: header.protection ?? .standard, span: nil))
        guard JointRepair.holds(leaves: board.values.count) else { return nil }
        var beside = BesideLeaves()
        var banded: Set<Int> = []
        for identity in tied.identities where identity.rest != .unknown && identity.parts.count == 1 {
            guard let share = TiedShare(identity, among: tied.sources, tables: tables, firstLeaf: board.firstLeaf),
                share.members.contains(where: { $0.metric == tables[0].metric })
            else { continue }
            let sides = share.sides.sorted { $0.key < $1.key }.map(\.value)
            for isWhole in [true, false] {
                banded.formUnion(
                    Self.tie(
                        bands: sides.map { isWhole ? $0.whole : $0.parts },
                        sums: sides.map { isWhole ? $0.parts : $0.whole },
                        beyond: identity.rest == .none ? nil : isWhole, tables, board, into: &beside))
            }
        }
        guard beside.rows.contains(where: { $0.teller != nil }) || !banded.isEmpty else { return nil }
        self.board = board
        self.beside = beside
        self.header = header
        othersKnown = tables.dropFirst().flatMap { table in
            zip(table.laid.problem.cells, table.laid.origins).map { cell, origin in
                let isTotal = origin.map { table.laid.slabs[$0.slab].margin == .total } ?? false
                return cell.isForced || isTotal && !cell.isSensitive
            }
        }
        let own = tables[0]
        mayHide = own.laid.origins.enumerated().map { column, origin in
            guard let origin, !own.laid.problem.cells[column].isForced else { return false }
            let margin = own.laid.slabs[origin.slab].margin
            return own.layout.dimensions.indices.contains { place in
                margin.keeps(place) && banded.contains(own.layout.dimensions[place].coarsening?.place ?? place)
            }
        }
    }

    /// Says what everybody knows of the sums of events in bands.
    ///
    /// - Parameters:
    ///   - bands: by class, leaves of the one metric.
    ///   - sums: by class, leaves of the other.
    ///   - isWhole: whether the one counts all of the other's events, and more; nil where they count the same.
    /// - Returns: dimensions of bands of the release's own.
    private static func tie(
        bands: [[UInt32]], sums: [[UInt32]], beyond isWhole: Bool?, _ tables: [TiedTable], _ board: TiedBoard,
        into beside: inout BesideLeaves
    ) -> Set<Int> {
        func table(of leaves: [[UInt32]]) -> Int? {
            let places = Set(leaves.joined().map { leaf in board.firstLeaf.lastIndex { $0 <= Int(leaf) } ?? 0 })
            // Of several layouts of a metric nobody has one number.
            return places.count == 1 ? places.first : nil
        }
        guard let split = table(of: bands), let adding = table(of: sums), split == 0 || adding == 0,
            tables[split].layout.within == nil
        else { return [] }
        var found: Set<Int> = []
        let (layout, frame) = (tables[split].layout, tables[split].laid.frame)
        let bases = layout.dimensions.indices.filter(layout.leaf.keeps)
        for (axis, place) in bases.enumerated() {
            guard let edges = BandedSums.edges(of: layout.dimensions[place].labels) else { continue }
            for (number, measure) in tables[adding].layout.sums.enumerated() where !layout.sums.contains(measure) {
                let ranges = edges.map { BandedSums.range(from: $0.from, to: $0.to, of: measure) }
                let all = BandedSums.range(from: nil, to: nil, of: measure)
                let values = tables[adding].laid.frame.measures[number + 1]
                func range(_ leaf: UInt32) -> ClosedRange<Int64> {
                    let cell = frame.leaves[Int(leaf) - board.firstLeaf[split]].cell
                    return ranges[layout.buckets(of: cell, in: layout.leaf)[axis]]
                }
                func value(_ leaf: UInt32) -> Int64 { values[Int(leaf) - board.firstLeaf[adding]] }
                // What came for one of the two only is nobody's to compare.
                let sign: Int64 = isWhole == false ? -1 : 1
                func beyond(_ class: (bands: [UInt32], sums: [UInt32])) -> Int64 {
                    sign * (board.sum(`class`.bands) - board.sum(`class`.sums))
                }
                let same = zip(bands, sums).map { (bands: $0, sums: $1) }.filter {
                    !$0.bands.isEmpty && !$0.sums.isEmpty && (isWhole == nil ? beyond($0) == 0 : beyond($0) >= 0)
                }
                let agrees = same.allSatisfy { each in
                    let sum = each.sums.reduce(Int64(0)) { $0.addedClamped(value($1)) }
                    let others = sign * all.upperBound.multipliedClamped(by: beyond(each))
                    func bound(_ edge: (ClosedRange<Int64>) -> Int64) -> Int64 {
                        each.bands.reduce(0) {
                            $0.addedClamped(edge(range($1)).multipliedClamped(by: board.values[Int($1)]))
                        }
                    }
                    return bound(\.lowerBound) <= max(sum, sum + others)
                        && min(sum, sum + others) <= bound(\.upperBound)
                }
                guard ranges.contains(where: { $0 != all }), agrees, !same.isEmpty else { continue }
                if split == 0 { found.insert(place) }
                var unknowns: [UInt32: Int] = [:]
                func add(_ leaf: UInt32, within range: ClosedRange<Int64>, _ value: Int64) {
                    let unknown = beside.addUnknown(value)
                    unknowns[leaf] = unknown
                    beside.add(
                        leaves: [(leaf, -Double(range.lowerBound))], unknowns: [(unknown, 1)], lower: 0,
                        upper: .infinity)
                    beside.add(
                        leaves: [(leaf, Double(range.upperBound))], unknowns: [(unknown, -1)], lower: 0,
                        upper: .infinity)
                }
                for each in same {
                    for leaf in each.bands { add(leaf, within: range(leaf), 0) }
                    for leaf in each.sums { add(leaf, within: all, value(leaf)) }
                    let factors = each.bands.map { ($0, Double(sign)) } + each.sums.map { ($0, Double(-sign)) }
                    let moved = factors.compactMap { leaf, factor in unknowns[leaf].map { ($0, factor) } }
                    // What the one has beyond the other is some events, and each of them adds something.
                    beside.add(
                        leaves: factors.map { ($0, $1) }, unknowns: [], lower: 0,
                        upper: isWhole == nil ? 0 : .infinity)
                    beside.add(unknowns: moved, lower: 0, upper: .infinity)
                    beside.add(
                        leaves: factors.map { ($0, $1 * Double(all.upperBound)) },
                        unknowns: moved.map { ($0, -$1) }, lower: 0, upper: .infinity)
                }
                for (column, cell) in tables[adding].laid.problem.cells.enumerated() where cell.isForced || adding == 0
                {
                    let leaves = board.columns[board.firstColumn[adding] + column]
                    let inside = leaves.compactMap { unknowns[$0] }
                    guard inside.count == leaves.count else { continue }
                    let sum = Double(leaves.reduce(Int64(0)) { $0.addedClamped(value($1)) })
                    beside.add(
                        unknowns: inside.map { ($0, 1) }, lower: sum, upper: sum,
                        teller: cell.isForced ? nil : ColumnIndex(UInt32(column)))
                }
            }
        }
        return found
    }

    /// Holds back the sums, or else the bands, that would prove a cell of either metric small.
    ///
    /// - Parameters:
    ///   - kept: by own column: what may leave; only ever becomes less.
    ///   - silent: columns whose sums may not leave; only ever become more.
    /// - Complexity: a linear program or two for each sensitive cell, and one for each number that is withheld.
    func narrow(_ kept: inout [Bool], silent: inout Set<ColumnIndex>, seconds: Double) throws(SuppressionError) {
        let problem = try SuppressionProblem(
            measures: [
                AdditiveMeasure(
                    values: board.values,
                    protection: .surrounds(percent: (header.protection ?? .standard).percent))
            ],
            columns: board.columns, cells: board.cells, relations: [], threshold: header.threshold.devices)
        let published = kept.enumerated().map { $1 || board.cells[$0].isForced } + othersKnown
        let withheld = kept.indices.filter { !kept[$0] }.map { ColumnIndex(UInt32($0)) }
        let finding = BesideRepair(
            problem, beside: beside, deadline: ContinuousClock().now + .seconds(seconds)
        ).finding(
            given: published, silent: silent.union(withheld), mayHide: mayHide + othersKnown.map { _ in false })
        for column in finding.hidden { kept[Int(column.value)] = false }
        silent.formUnion(finding.silent.subtracting(withheld))
    }
}
