package import ThrongPlan

/// All counters of all layouts that this process knows, numbered once so that counting is arithmetic.
///
/// Counter slots: a leaf cell of a metric with s sums and f firsts has 1 + s + f consecutive slots, in that order, and one
/// more where events of proved identifiers are counted once more. Tracked slots: the cells of all tracked margins, one slab a margin.
package struct CellSpace: Sendable {
    /// The layouts by ordinal: the plans' first, then those that only the journal still mentions.
    package let layouts: [MetricLayout]
    /// Their identities, by ordinal.
    package let ids: [LayoutID]
    let metrics: [MetricSpace]
    /// Every metric's tracked margins one after another, and the place of each metric's first one. A replay uses these
    /// arrays: with references to margins, counting the references would take longer than all else.
    private let marginPlaces: [MarginPlace]
    private let firstMargins: [Int]
    private let ordinals: [LayoutID: Int]

    /// Numbers the counters of these layouts; a repeated layout is taken once.
    package init(layouts all: [MetricLayout]) {
        var layouts: [MetricLayout] = []
        var ids: [LayoutID] = []
        var ordinals: [LayoutID: Int] = [:]
        var metrics: [MetricSpace] = []
        var nextCounter: UInt32 = 0
        var nextTracked: UInt32 = 0
        for layout in all {
            let id = layout.id
            guard ordinals[id] == nil else { continue }
            ordinals[id] = layouts.count
            let space = MetricSpace(layout: layout, id: id, firstCounter: nextCounter, firstTracked: nextTracked)
            nextCounter = space.counterEnd
            nextTracked = space.trackedEnd
            layouts.append(layout)
            ids.append(id)
            metrics.append(space)
        }
        (self.layouts, self.ids, self.ordinals, self.metrics) = (layouts, ids, ordinals, metrics)
        marginPlaces = metrics.flatMap { metric in
            metric.margins.map { MarginPlace(seed: $0.seed, firstTracked: $0.firstTracked) }
        }
        firstMargins = metrics.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.margins.count) }
    }

    /// Returns the ordinal of a layout; nil if it is not part of this space.
    package func ordinal(of id: LayoutID) -> Int? { ordinals[id] }

    /// Returns the name of a metric's period, such as `2026-12-01`.
    package func label(ofPeriod start: UnixSeconds, of metric: Int) -> String {
        let calendar = metrics[metric].calendar
        return calendar.label(of: calendar.period(layouts[metric].period, containing: start))
    }

    func marginPlace(of appearance: CountedBatch.Appearance) -> MarginPlace {
        marginPlaces[firstMargins[appearance.metric] + appearance.margin]
    }

    func metric(ofCounter slot: UInt32) -> Int { place(of: slot, end: \.counterEnd) }
    func metric(ofTracked slot: UInt32) -> Int { place(of: slot, end: \.trackedEnd) }

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

/// One metric's part of the cell space. A class, because counting an event refers to it several times.
final class MetricSpace: Sendable {
    let calendar: PeriodCalendar
    let firstCounter: UInt32
    let counterEnd: UInt32
    let countersPerCell: UInt32
    let trackedEnd: UInt32
    let margins: [TrackedMargin]
    let partition: CellProjection
    /// The most that an identifier adds in its window.
    let bound: UInt32
    /// The bounds by rung, ascending; one if the bound is fixed.
    private let rungs: [UInt32]
    /// The number of leaf cells of each rung.
    private let leafCells: UInt32
    /// The counting of firsts; nil if the metric has none.
    let firsts: FirstsSpace?
    let sumCount: Int
    /// True if floors count proved identifiers only.
    let needsProof: Bool
    /// The counter of proved identifiers' events, by its place in a cell; nil if they are not counted apart.
    let provedCount: UInt32?
    /// The layout for counting identifiers within a window; nil if events are counted.
    let within: WindowLayout?
    /// True if batches have identifiers; without them nothing is known of any sender.
    let hasIdentifiers: Bool
    /// A number that tells this layout's contributions apart from another's under one identifier.
    let seed: UInt64

    init(layout: MetricLayout, id: LayoutID, firstCounter: UInt32, firstTracked: UInt32) {
        calendar = PeriodCalendar(timeZone: layout.timeZone) ?? .utc
        self.firstCounter = firstCounter
        countersPerCell = UInt32(layout.countersPerCell)
        leafCells = UInt32(layout.size(of: layout.leaf))
        counterEnd = firstCounter + leafCells * UInt32(layout.rungs?.count ?? 1) * countersPerCell
        let seed = id.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.seed = seed
        firsts = FirstsSpace(layout, calendar, seed: seed)
        var next = firstTracked
        margins = (layout.hasIdentifiers ? layout.trackedMargins : []).map { margin in
            let size = UInt32(layout.size(of: margin))
            defer { next += size }
            return TrackedMargin(
                margin: margin, projection: layout.projection(from: layout.leaf, to: margin), firstTracked: next,
                seed: seed &+ UInt64(margin.bits) &* 0xD6E8_FEB8_6659_FD93)
        }
        trackedEnd = next
        sumCount = layout.sums.count
        needsProof = layout.floor == .attested
        provedCount = layout.countsProved ? UInt32(layout.provedCount.value) : nil
        partition = layout.projection(from: layout.leaf, to: layout.partition)
        rungs = (layout.rungs ?? [layout.contributionBound]).map { UInt32($0) }
        bound = rungs.last ?? 0
        within = layout.within
        hasIdentifiers = layout.hasIdentifiers
    }

    /// Returns where the next events count of an identifier that has added so many: how far its leaf cell is moved to lie in their
    /// rung, and how many of them it has room for.
    func rung(after used: UInt32) -> (shift: UInt32, room: UInt32) {
        guard let place = rungs.firstIndex(where: { $0 > used }) else { return (0, 0) }
        return (UInt32(place) * leafCells, rungs[place] - used)
    }

    /// Calls `body` for each counter that an addition changes: the count, then the sums, firsts and the proved count.
    @inline(__always)
    func forEachCounter(of addition: CountedBatch.Addition, _ body: (_ slot: UInt32, _ amount: Int64) -> Void) {
        let slot = firstCounter + addition.cell.value * countersPerCell
        body(slot, addition.count)
        for (place, sum) in addition.sums.enumerated() { body(slot + 1 + UInt32(place), sum) }
        for place in addition.firsts { body(slot + UInt32(1 + sumCount + place), 1) }
        guard addition.isProved, let provedCount else { return }
        body(slot + provedCount, addition.count)
    }
}

/// The part of a tracked margin that is needed to find an identifier's appearance in it.
struct MarginPlace: Sendable {
    let seed: UInt64
    let firstTracked: UInt32
}

/// One tracked margin: the place of its cells, and the projection of leaf cells onto them.
final class TrackedMargin: Sendable {
    let margin: Margin
    let projection: CellProjection
    let firstTracked: UInt32
    /// A number that tells the margin's cells apart from all others under one identifier; the same in every process.
    let seed: UInt64
    init(margin: Margin, projection: CellProjection, firstTracked: UInt32, seed: UInt64) {
        (self.margin, self.projection, self.firstTracked, self.seed) = (margin, projection, firstTracked, seed)
    }
}

/// The counting of a metric's firsts: the places of its counters, the cell of a grouping that a leaf is in, and the equality of firsts.
final class FirstsSpace: Sendable {
    let layout: FirstsLayout
    private let calendar: PeriodCalendar
    /// The projections of leaf cells, by grouping.
    private let projections: [CellProjection]
    /// A number that tells firsts apart from tracked cells and from firsts of other metrics under one identifier.
    private let seed: UInt64

    /// Returns nil if the metric counts no firsts.
    init?(_ metric: MetricLayout, _ calendar: PeriodCalendar, seed: UInt64) {
        guard let firsts = metric.firsts else { return nil }
        layout = firsts
        self.calendar = calendar
        projections = firsts.groupings.map { metric.projection(from: metric.leaf, to: $0) }
        self.seed = seed
    }

    /// Returns the hash of a first that an identifier may claim once in its window, by counter, cell of its grouping and period.
    func hash(_ place: Int, _ addition: CountedBatch.Addition, by identifier: KeyedIdentifier) -> UInt64 {
        let cell = projections[place % layout.groupings.count](addition.cell)
        let word = seed &+ UInt64(place + 1) &* 0xA24B_AED4_963E_E407 &+ UInt64(cell.value)
        return identifier.hash(with: word, UInt64(bitPattern: addition.periodStart.value))
    }

    /// Returns an event's firsts that still hold if it counts into another period: those of calendar periods that contain both.
    func kept(_ firsts: FirstSet, from start: UnixSeconds, to other: UnixSeconds) -> FirstSet {
        layout.periods.reduce(.none) { kept, kind in
            guard let places = layout.places(of: kind),
                calendar.period(kind, containing: start) == calendar.period(kind, containing: other)
            else { return kept }
            return kept.union(firsts.intersection(places))
        }
    }
}

extension OpenWindow {
    /// Adds an addition's firsts that the identifier has not claimed in this window; returns them.
    mutating func newFirsts(
        of addition: CountedBatch.Addition, in space: FirstsSpace, by identifier: KeyedIdentifier
    ) -> FirstSet {
        var new = FirstSet.none
        for place in addition.firsts where pairs.insert(space.hash(place, addition, by: identifier)) {
            new.insert(place)
        }
        return new
    }
}
