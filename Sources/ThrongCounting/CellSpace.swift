package import ThrongPlan

/// All counters of all layouts that this process knows, numbered once so that counting is arithmetic.
///
/// Counter slots: a leaf cell of a metric with s sums and f firsts has 1 + s + f consecutive slots, in that order, and 1 + s
/// more where what proved identifiers add is counted once more. Tracked slots: the cells of all tracked margins, one slab a
/// margin. Sum slots: each tracked cell of a metric with s sums has s consecutive slots, or 2 s.
package struct CellSpace: Sendable {
    /// The layouts by ordinal: the plans' first, then those that only the journal still mentions.
    package let layouts: [MetricLayout]
    /// Their identities, by ordinal.
    package let ids: [LayoutID]
    let metrics: [MetricSpace]
    /// Every metric's tracked margins one after another, and where each metric's begin: a replay goes by them, for which
    /// counting references would take longer than all else.
    private let marginPlaces: [MarginPlace]
    private let firstMargins: [Int]
    private let ordinals: [LayoutID: Int]

    /// Numbers the counters of these layouts; a layout that comes twice is taken once.
    package init(layouts all: [MetricLayout]) {
        var layouts: [MetricLayout] = []
        var ids: [LayoutID] = []
        var ordinals: [LayoutID: Int] = [:]
        var metrics: [MetricSpace] = []
        var nextCounter: UInt32 = 0
        var nextTracked: UInt32 = 0
        var nextSum: UInt32 = 0
        for layout in all {
            let id = layout.id
            guard ordinals[id] == nil else { continue }
            ordinals[id] = layouts.count
            let space = MetricSpace(
                layout: layout, id: id, firstCounter: nextCounter, firstTracked: nextTracked, firstSum: nextSum)
            nextCounter = space.counterEnd
            nextTracked = space.trackedEnd
            nextSum = space.sumEnd
            layouts.append(layout)
            ids.append(id)
            metrics.append(space)
        }
        self.layouts = layouts
        self.ids = ids
        self.ordinals = ordinals
        self.metrics = metrics
        marginPlaces = metrics.flatMap { metric in
            metric.margins.map { MarginPlace(seed: $0.seed, firstTracked: $0.firstTracked) }
        }
        firstMargins = metrics.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.margins.count) }
    }

    /// The ordinal of a layout; nil where it is not part of this space.
    package func ordinal(of id: LayoutID) -> Int? { ordinals[id] }

    func marginPlace(of appearance: CountedBatch.Appearance) -> MarginPlace {
        marginPlaces[firstMargins[appearance.metric] + appearance.margin]
    }

    func metric(ofCounter slot: UInt32) -> Int { place(of: slot, end: \.counterEnd) }
    func metric(ofTracked slot: UInt32) -> Int { place(of: slot, end: \.trackedEnd) }
    func metric(ofSum slot: UInt32) -> Int { place(of: slot, end: \.sumEnd) }

    private func place(of slot: UInt32, end: KeyPath<MetricSpace, UInt32>) -> Int {
        var low = 0
        var high = metrics.count - 1
        while low < high {
            let middle = (low + high) / 2
            if slot < metrics[middle][keyPath: end] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// One metric's part of the cell space. A class, as counting an event refers to it several times.
final class MetricSpace: Sendable {
    let firstCounter: UInt32
    let counterEnd: UInt32
    let countersPerCell: UInt32
    let trackedEnd: UInt32
    let firstSum: UInt32
    let sumEnd: UInt32
    let margins: [TrackedMargin]
    let partition: CellProjection
    let bound: UInt32
    /// How firsts are counted; nil where they are not.
    let firsts: FirstsSpace?
    /// One a sum: see `SumMeasure.contributionShift`.
    let shifts: [Int64]
    /// Whether floors count proved identifiers only.
    let needsProof: Bool
    /// Of what proved identifiers add, the counter after a cell's first; nil where it is not counted apart.
    let firstProved: UInt32?
    /// By sum slot of a tracked cell, the counter of which it has the largest contributions.
    let ranked: [MeasureIndex]
    /// What is counted of identifiers instead of events; nil where events are.
    let within: WindowLayout?
    /// Whether batches say who sends; where they do not, nothing is known of anybody.
    let hasIdentifiers: Bool
    /// Tells this layout's contributions apart from another's under one identifier.
    let seed: UInt64

    init(layout: MetricLayout, id: LayoutID, firstCounter: UInt32, firstTracked: UInt32, firstSum: UInt32) {
        self.firstCounter = firstCounter
        countersPerCell = UInt32(layout.countersPerCell)
        counterEnd = firstCounter + UInt32(layout.size(of: layout.leaf)) * countersPerCell
        let seed = id.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.seed = seed
        firsts = FirstsSpace(layout, seed: seed)
        var next = firstTracked
        var nextSum = firstSum
        margins = (layout.hasIdentifiers ? layout.trackedMargins : []).map { margin in
            let size = UInt32(layout.size(of: margin))
            defer {
                next += size
                nextSum += size * UInt32(layout.rankedMeasures.count)
            }
            return TrackedMargin(
                margin: margin,
                projection: layout.projection(from: layout.leaf, to: margin),
                firstTracked: next,
                firstSum: nextSum,
                seed: seed &+ UInt64(margin.bits) &* 0xD6E8_FEB8_6659_FD93)
        }
        trackedEnd = next
        self.firstSum = firstSum
        sumEnd = nextSum
        shifts = layout.sums.map(\.contributionShift)
        needsProof = layout.floor == .attested
        firstProved = layout.countsProved ? UInt32(layout.provedMeasure(of: .count).value) : nil
        ranked = layout.rankedMeasures
        partition = layout.projection(from: layout.leaf, to: layout.partition)
        bound = UInt32(layout.contributionBound)
        within = layout.within
        hasIdentifiers = layout.hasIdentifiers
    }

    var sumCount: Int { shifts.count }

    /// The counters that an addition adds to, and how much: the count, then the sums, then firsts, then what is proved.
    @inline(__always)
    func forEachCounter(of addition: CountedBatch.Addition, _ body: (_ slot: UInt32, _ amount: Int64) -> Void) {
        let slot = firstCounter + addition.cell.value * countersPerCell
        body(slot, addition.count)
        for (place, sum) in addition.sums.enumerated() { body(slot + 1 + UInt32(place), sum) }
        for place in addition.firsts { body(slot + UInt32(1 + sumCount + place), 1) }
        guard addition.isProved, let firstProved else { return }
        body(slot + firstProved, addition.count)
        for (place, sum) in addition.sums.enumerated() { body(slot + firstProved + 1 + UInt32(place), sum) }
    }
}

extension MetricSpace {
    /// What an addition adds to the contributions of its identifier to the sums of tracked cells.
    ///
    /// - Parameter body: takes the sum's slot, a hash of identifier, tracked cell, period and sum, and an amount that is not
    ///   negative.
    @inline(__always)
    func forEachContribution(
        of addition: CountedBatch.Addition, by identifier: KeyedIdentifier,
        _ body: (_ slot: UInt32, _ key: UInt64, _ amount: Int64) -> Void
    ) {
        for margin in margins {
            let cell = margin.projection(addition.cell).value
            let hash = identifier.hash(
                with: margin.seed &+ UInt64(cell), UInt64(bitPattern: addition.periodStart.value))
            for (place, sum) in addition.sums.enumerated() {
                let contribution = max(shifts[place].saturatingMultiply(addition.count).saturatingAdd(sum), 0)
                let slot = margin.firstSum + cell * UInt32(ranked.count) + UInt32(place)
                body(slot, hash &+ UInt64(place), contribution)
                guard addition.isProved, firstProved != nil else { continue }
                body(slot + UInt32(sumCount), hash &+ UInt64(sumCount + place), contribution)
            }
        }
    }
}

/// What there is to know of a tracked margin for an identifier that appears in it.
struct MarginPlace: Sendable {
    let seed: UInt64
    let firstTracked: UInt32
}

/// One tracked margin: where its cells lie, and how a leaf cell falls into it.
final class TrackedMargin: Sendable {
    let margin: Margin
    let projection: CellProjection
    let firstTracked: UInt32
    let firstSum: UInt32
    /// Tells the margin's cells apart from all others under one identifier; the same in every process.
    let seed: UInt64
    init(margin: Margin, projection: CellProjection, firstTracked: UInt32, firstSum: UInt32, seed: UInt64) {
        self.margin = margin
        self.projection = projection
        self.firstTracked = firstTracked
        self.firstSum = firstSum
        self.seed = seed
    }
}
