internal import ThrongPlan
internal import ThrongSuppression

/// A release case in the engine's terms: columns over leaves, and what is known of each.
struct CaseTable {
    /// The leaves.
    let frame: ReleaseFrame
    /// Every grouping of every span, shown or not.
    let slabs: [CubeSlab]
    /// Empty leaves that nothing but `listsEmpty` brought in.
    let listed: Set<UInt32>
    /// What the engine works on.
    let problem: SuppressionProblem
    /// By column, where it is in ``slabs``; nil is a cell that no grouping has.
    let origins: [Origin?]
    /// By slab, by cell: its column.
    let columns: [[UInt32?]]
    /// The slabs of the release itself.
    let own: [Int]
    /// By slab, by cell: the devices that said that this was their first; nil where the slab is not the release's own, or
    /// nobody is asked.
    let firsts: [[Int64]?]
    /// By slab, by cell: the devices that are published, or would be; nil where the slab is not the release's own.
    let numbers: [[Int64]?]
    /// The slabs of the release's own of which nothing is published: so little could be, or none shall.
    let leftOut: Set<Int>

    /// A cell of a slab.
    struct Origin {
        let slab: Int
        let place: Int
    }

    /// Lays a case out.
    ///
    /// - Parameters:
    ///   - others: groupings that tied metrics show, which this release may not offer.
    ///   - isEvidence: whether this is what was counted and published by a tied metric.
    ///   - listsEmpty: whether empty leaves take part, too, where there are few: readers can't tell them from small ones.
    /// - Throws: ``SuppressionError/malformed(_:)`` where a counter is too large to compute with.
    /// - Complexity: O(leaves · margins · log).
    init(
        _ release: ReleaseCase, options: ReleaseOptions, others: Set<Margin> = [], isEvidence: Bool = false,
        listsEmpty: Bool = false
    ) throws(SuppressionError) {
        let header = release.header
        let layout = header.layout
        let concentrated = ConcentratedCells(in: release)
        var unknown = concentrated.siblings
        if listsEmpty, let possible = Self.possibleLeaves(of: release) {
            for part in unknown.indices { unknown[part].formUnion(possible) }
        }
        let frame = ReleaseFrame(
            release.parts, layout: layout, firsts: header.firsts, proved: release.proved, unknown: unknown)
        self.frame = frame
        listed = Set(
            frame.parts.indices.flatMap { part in
                frame.leaves(of: part..<part + 1).filter { leaf in
                    !frame.leaves[leaf].isOccupied && !concentrated.siblings[part].contains(frame.leaves[leaf].cell)
                }
            }.map { UInt32($0) })

        let former = release.former.map { Set($0.cells.map { FormerCell(margin: $0.margin, cell: $0.cell) }) }
        let spans = Spans(of: release, frame: frame, others: others, isEvidence: isEvidence)
        var slabs: [CubeSlab] = []
        for span in spans.all {
            let shown = spans.shown[span] ?? []
            let leaves = frame.leaves(of: span).count
            for margin in MarginUniverse.margins(of: layout, shown: shown, leaves: leaves) {
                slabs.append(CubeSlab(frame, span: span, margin: margin))
            }
        }
        self.slabs = slabs
        own = slabs.indices.filter { slabs[$0].span == spans.own && header.groupings.contains(slabs[$0].margin) }

        var lists = IndexLists()
        var cells: [CandidateCell] = []
        var origins: [Origin?] = []
        var columns: [[UInt32?]] = []
        var firsts: [[Int64]?] = []
        var numbers: [[Int64]?] = []
        var leftOut: Set<Int> = []
        for (number, slab) in slabs.enumerated() {
            let isOwn = slab.span == spans.own && header.groupings.contains(slab.margin)
            let isShown = spans.shown[slab.span]?.contains(slab.margin) ?? false
            let forced = spans.published(slab)
            let rule = SumRule(
                frame, slab: slab, protection: header.protection ?? .standard, threshold: header.threshold)
            let said = isOwn ? frame.firsts(of: slab) : nil
            firsts.append(said)
            numbers.append(isOwn ? frame.proved(in: header).map { $0.sums(of: slab, layout) } ?? slab.floors : nil)
            var names: [UInt32?] = []
            let sensitive = slab.cells.indices.map { place in
                !slab.isEmpty[place]
                    && (!header.threshold.isReached(by: slab.floors[place]) || !rule.passes(place)
                        || said.map { !header.threshold.isReached(by: $0[place]) } ?? false)
            }
            let isPreferred = options.preferred.contains(slab.margin)
            let givesNothing =
                slab.margin != .total && !isPreferred
                && Self.givesNothing(
                    slab, sensitive: sensitive, frame,
                    wasShown: former?.contains { $0.margin == slab.margin } ?? false)
            if isOwn, givesNothing || options.leftOut.contains(slab.margin) { leftOut.insert(number) }
            for place in slab.cells.indices {
                let isSensitive = sensitive[place]
                guard isShown || isSensitive else {
                    names.append(nil)
                    continue
                }
                names.append(UInt32(cells.count))
                origins.append(Origin(slab: number, place: place))
                lists.append(slab.leaves[place])
                cells.append(
                    CandidateCell(
                        floor: slab.floors[place],
                        cost: Self.usefulness(
                            of: slab.margin,
                            events: frame.events(in: slab.leaves[place]),
                            isPreferred: isPreferred,
                            isRest: layout.isRest(slab.cells[place], in: slab.margin),
                            wasPublished: former?.contains(FormerCell(margin: slab.margin, cell: slab.cells[place]))),
                        isSensitive: isSensitive,
                        isForced: forced.contains(slab.cells[place]),
                        isOffered: isOwn && !slab.isEmpty[place] && !leftOut.contains(number),
                        level: Self.level(of: slab.margin, isPreferred: isPreferred)))
            }
            columns.append(names)
        }
        for others in concentrated.complements(in: frame) {
            origins.append(nil)
            lists.append(others)
            cells.append(CandidateCell(floor: 0, cost: 1, isSensitive: true, isOffered: false))
        }
        self.origins = origins
        self.columns = columns
        self.firsts = firsts
        self.numbers = numbers
        self.leftOut = leftOut
        let known = origins.map { origin in origin.map { slabs[$0.slab].devices[$0.place] } ?? DeviceCounts([]) }
        let floors = cells.map(\.floor)
        let threshold = header.threshold.devices
        let protection = header.protection ?? .standard
        problem = try SuppressionProblem(
            measures: (frame.measures + frame.lowerKinds).enumerated().map { place, values in
                AdditiveMeasure(
                    values: values, protection: .surrounds(percent: protection.percent), mayArrive: place == 0)
            },
            columns: lists,
            cells: cells,
            relations: Relations(slabs: slabs, columns: columns, spans: spans, layout: layout).all,
            threshold: threshold,
            unionFloor: { parts in
                let largest = parts.reduce(0) { max($0, floors[Int($1.value)]) }
                // The exact union is only needed where the largest part does not settle it.
                return largest >= threshold ? largest : DeviceCounts.union(parts.map { known[Int($0.value)] }).floor
            },
            grid: CaseGrid.grid(
                frame, slabs: slabs, slabOfColumn: origins.map { $0?.slab },
                isShown: slabs.map { spans.shown[$0.span]?.contains($0.margin) ?? false }, columns: lists,
                origins: release.origins))
    }

    /// The leaf cells that can occur; nil where they are too many to list in every part.
    private static func possibleLeaves(of release: ReleaseCase) -> [CellIndex]? {
        let layout = release.header.layout
        guard layout.size(of: layout.leaf) <= mostListed / max(1, release.parts.count) else { return nil }
        let meetings = BucketMeetings(in: layout, release.origins)
        return (0..<layout.size(of: layout.leaf)).map { CellIndex(UInt32($0)) }.filter { cell in
            let buckets = layout.buckets(of: cell, in: layout.leaf)
            return meetings.isPossible { buckets[$0] } && !layout.isImpossible(cell, in: layout.leaf)
        }
    }

    private static let mostListed = 1024

    /// Whether under a tenth of a grouping's events are in cells that could be published: what is shown of it would cost others
    /// more than it is worth. One that was shown before is left out under a twentieth, so that it does not come and go.
    private static func givesNothing(
        _ slab: CubeSlab, sensitive: [Bool], _ frame: ReleaseFrame, wasShown: Bool
    ) -> Bool {
        var (all, able) = (Int64(0), Int64(0))
        for place in slab.cells.indices {
            let events = frame.events(in: slab.leaves[place])
            all = all.addedClamped(events)
            if !sensitive[place] { able = able.addedClamped(events) }
        }
        return able.multipliedClamped(by: wasShown ? 20 : 10) < all
    }

    /// When a grouping is settled: the total, what reports show, then by the dimensions that are kept.
    static func level(of margin: Margin, isPreferred: Bool) -> Int {
        margin == .total ? 0 : isPreferred ? 1 : 1 + margin.bits.nonzeroBitCount
    }

    /// What it is worth to publish a cell: totals before splits, what reports show before what they don't, what was shown
    /// before, large numbers before small ones. Never under 1.
    ///
    /// A cell that protects others is the same one as before, wherever it can be: a number that comes and goes is no series.
    ///
    /// - Parameters:
    ///   - isRest: whether it is of what has no bucket of its own: with a small bucket beside it that is withheld, it tells
    ///     readers of a larger rest, where a named bucket would be lost to them.
    ///   - wasPublished: whether it was in the period before; nil where nothing was released.
    static func usefulness(of margin: Margin, events: Int64, isPreferred: Bool, isRest: Bool, wasPublished: Bool?)
        -> Int64
    {
        let size = Int64(Int64.bitWidth - max(events, 1).leadingZeroBitCount)
        let level = Int64(8 >> min(3, margin.bits.nonzeroBitCount))
        let worth = size * level * (isPreferred ? 4 : 1) * (wasPublished ?? false ? formerWeight : 1)
        return isRest ? max(1, worth / restDiscount) : worth
    }

    /// A rest is worth less than the smallest named bucket of its split, unless it was published before.
    private static let restDiscount: Int64 = 4

    /// More than the largest number is worth beside the smallest.
    private static let formerWeight: Int64 = 64

    private struct FormerCell: Hashable {
        let margin: Margin
        let cell: CellIndex
    }
}

extension CaseTable {
    /// The published cells around everything that a pattern leaves open: sensitive cells without a proof, and wholes
    /// whose unknown rest would be under k.
    ///
    /// Once no published cell holds a leaf of a sensitive one, that leaf may be anything, and nothing is left to prove.
    func surroundings(ofOpenIn pattern: SuppressionPattern) -> Set<ColumnIndex> {
        let leaves = openLeaves(in: pattern)
        guard !leaves.isEmpty else { return [] }
        let near = problem.cells.indices.filter { column in
            pattern.isPublished[column] && !problem.cells[column].isForced
                && problem.columns[column].contains(where: leaves.contains)
        }
        return Set(near.map { ColumnIndex(UInt32($0)) })
    }

    /// How many things stay open whatever is hidden now, because what was published before touches them.
    func open(in pattern: SuppressionPattern) -> Int {
        let leaves = openLeaves(in: pattern)
        guard !leaves.isEmpty else { return 0 }
        let isTouched = problem.cells.indices.contains { column in
            pattern.isPublished[column] && problem.columns[column].contains(where: leaves.contains)
        }
        return isTouched ? pattern.unproved.count + pattern.openRelations.count : 0
    }

    private func openLeaves(in pattern: SuppressionPattern) -> Set<UInt32> {
        let wholes = pattern.openRelations.map { problem.relations[$0].parent }
        return Set((pattern.unproved + wholes).flatMap { problem.columns[Int($0.value)] })
    }
}
