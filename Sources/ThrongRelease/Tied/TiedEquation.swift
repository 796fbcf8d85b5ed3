internal import ThrongPlan
internal import ThrongSuppression

/// One bucket of the dimensions that tied metrics share, in one stretch of time: which leaves add up to which.
struct TiedEquation {
    /// Of the metric that counts all, ascending.
    let whole: [UInt32]
    /// Of the metrics that count parts of it, ascending.
    let parts: [UInt32]

    /// The equations of an identity.
    ///
    /// Without leaves on either side there is none: that one metric counted nothing in a bucket then only says that it
    /// did not count yet, or no longer.
    /// - Parameter firstLeaf: by table.
    /// - Complexity: O(leaves · log).
    static func all(_ identity: EventIdentity, tables: [TiedTable], firstLeaf: [Int]) -> [TiedEquation] {
        let sources = [identity.whole] + identity.parts
        let members = tables.indices.filter { sources.contains(tables[$0].source) }
        guard Set(members.map { tables[$0].source }).count == sources.count else { return [] }
        let layouts = members.map { tables[$0].laid.frame.layout }
        guard let reference = layouts.first else { return [] }
        // By shared base dimension, its place in each layout.
        let shared = reference.dimensions.indices.filter { reference.dimensions[$0].coarsening == nil }
            .map { place in layouts.map { reference.place(of: place, in: $0) } }
            .filter { !$0.contains(nil) }
            .map { $0.compactMap { $0 } }
        let stretches = Stretches(members.flatMap { tables[$0].laid.frame.parts.map(\.period) })

        struct Key: Hashable, Comparable {
            let stretch: Int
            let buckets: [Int]
            static func < (left: Self, right: Self) -> Bool {
                left.stretch != right.stretch
                    ? left.stretch < right.stretch : left.buckets.lexicographicallyPrecedes(right.buckets)
            }
        }
        var sides: [Key: [Int: [UInt32]]] = [:]
        for (number, member) in members.enumerated() {
            let frame = tables[member].laid.frame
            let layout = frame.layout
            let bases = layout.dimensions.indices.filter(layout.leaf.keeps)
            let places = shared.compactMap { bases.firstIndex(of: $0[number]) }
            for (part, cube) in frame.parts.enumerated() {
                guard let stretch = stretches.place(of: cube.period) else { continue }
                for leaf in frame.leaves(of: part..<part + 1) {
                    let buckets = layout.buckets(of: frame.leaves[leaf].cell, in: layout.leaf)
                    sides[Key(stretch: stretch, buckets: places.map { buckets[$0] }), default: [:]][
                        tables[member].source, default: []
                    ].append(UInt32(firstLeaf[member] + leaf))
                }
            }
        }
        // In each stretch every metric must have counted something, or its absence would be taken for zeros.
        var present: [Int: Set<Int>] = [:]
        for (key, side) in sides { present[key.stretch, default: []].formUnion(side.keys) }
        return sides.sorted { $0.key < $1.key }.compactMap { key, side in
            guard present[key.stretch]?.count == sources.count, let whole = side[identity.whole] else { return nil }
            let parts = identity.parts.flatMap { side[$0] ?? [] }
            return parts.isEmpty ? nil : TiedEquation(whole: whole.sorted(), parts: parts.sorted())
        }
    }
}

/// The shortest stretches of time that hold whole periods of each of some metrics.
struct Stretches {
    private let all: [Period]

    /// - Parameter periods: of all metrics; of two lengths where one is made of the other.
    init(_ periods: [Period]) {
        var all: [Period] = []
        for period in Set(periods).sorted(by: { ($0.start, $1.end) < ($1.start, $0.end) }) {
            // Sorted so that what holds others comes first.
            if let last = all.last, period.start < last.end {
                guard period.end > last.end else { continue }
                // A week that two months share ties neither.
                all[all.count - 1] = Period(kind: last.kind, start: last.start, end: period.end)
            } else {
                all.append(period)
            }
        }
        self.all = all.filter { stretch in
            let inside = Set(periods).filter { $0.start >= stretch.start && $0.end <= stretch.end }
            return inside.contains { $0.start == stretch.start && $0.end == stretch.end }
                && inside.allSatisfy { $0.kind.divides(stretch.kind) || Self.fill(stretch, inside, $0.kind) }
        }
    }

    /// Whether periods of a kind make a stretch up without a gap, as the weeks of a February that begins on a Monday do.
    private static func fill(_ stretch: Period, _ periods: Set<Period>, _ kind: PeriodKind) -> Bool {
        periods.filter { $0.kind == kind }.reduce(0) { $0 + ($1.end - $1.start) } == stretch.end - stretch.start
    }

    /// The stretch that holds a period; nil where none does as a whole.
    func place(of period: Period) -> Int? {
        all.firstIndex { $0.start <= period.start && period.end <= $0.end }
    }
}

extension PeriodKind {
    /// Whether whole periods of this kind make up one of that.
    fileprivate func divides(_ other: PeriodKind) -> Bool {
        self == other || (self < other && !(self == .week && other == .month))
    }
}

extension MetricLayout {
    /// Where another layout has the same dimension: the same name, buckets and rule, made of the same buckets if any.
    func place(of place: Int, in other: MetricLayout) -> Int? {
        let mine = dimensions[place]
        return other.dimensions.firstIndex { its in
            guard its.name == mine.name, its.isSplit(as: mine) else { return false }
            guard let coarsening = mine.coarsening else { return its.coarsening == nil }
            return its.coarsening?.buckets == coarsening.buckets
                && self.place(of: coarsening.place, in: other) == its.coarsening?.place
        }
    }

    /// The same grouping in another layout; nil where that lacks one of its dimensions.
    func translate(_ margin: Margin, to other: MetricLayout) -> Margin? {
        let kept = dimensions.indices.filter(margin.keeps)
        let places = kept.compactMap { place(of: $0, in: other) }
        return places.count == kept.count ? Margin(keeping: places) : nil
    }
}
