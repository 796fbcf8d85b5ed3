internal import ThrongFaults
internal import ThrongPlan

/// Where the metrics of an identity meet: their leaves by stretch of time and by bucket of what they share.
struct TiedShare {
    /// What follows for any leaves that they have in common.
    let identity: EventIdentity
    /// The tables that take part.
    let members: [TiedTable]
    /// By member: whether it is the whole's.
    let isWhole: [Bool]
    /// By member: the events that its source is limited to, nil where that is all of them.
    let names: [Set<EventName>?]
    /// The events of the parts.
    let partNames: Set<EventName>
    /// What all of them are split by.
    let dimensions: [SharedDimension]
    /// Which leaves of each member fall together, by its own buckets.
    let leaves: [[Key: [UInt32]]]
    /// The stretches in which each of the metrics counted something. In others, what one lacks is no zero.
    let present: Set<Int>
    /// By member, by part of its frame: the stretch that holds it.
    let stretchOfPart: [[Int?]]
    /// The stretches themselves.
    let stretches: Stretches

    /// Some buckets in a stretch of time.
    struct Key: Hashable, Comparable {
        let stretch: Int
        /// By shared dimension: a bucket, or a class.
        let buckets: [Int]
        static func < (left: Self, right: Self) -> Bool {
            left.stretch != right.stretch
                ? left.stretch < right.stretch : left.buckets.lexicographicallyPrecedes(right.buckets)
        }
    }

    /// Nil where a metric of the identity has no table, or cannot tell the events apart.
    ///
    /// - Parameter firstLeaf: by table.
    /// - Complexity: O(leaves · log).
    init?(_ identity: EventIdentity, among sources: [TiedSource], tables: [TiedTable], firstLeaf: [Int]) {
        var roles: [Int: TiedSource] = [:]
        for source in [identity.whole] + identity.parts { roles[sources[source].metric] = sources[source] }
        let places = tables.indices.filter { roles[tables[$0].metric] != nil }
        let members = places.map { tables[$0] }
        guard Set(members.map(\.metric)).count == identity.parts.count + 1 else { return nil }
        let names = members.map { roles[$0.metric].flatMap(\.names) }
        let limits = zip(members, names).map { member, names in names.flatMap { member.buckets(holding: $0) } }
        // Nothing where a layout can't tell the events apart.
        guard zip(names, limits).allSatisfy({ $0 == nil || $1 != nil }) else { return nil }
        self.identity = identity
        self.members = members
        self.names = names
        partNames = identity.parts.reduce(into: []) { $0.formUnion(sources[$1].counted.everyName) }
        isWhole = members.map { $0.metric == sources[identity.whole].metric }
        let dimensions = SharedDimension.all(among: members)
        self.dimensions = dimensions
        let stretches = Stretches(members.flatMap { $0.laid.frame.parts.map(\.period) })
        self.stretches = stretches
        var leaves: [[Key: [UInt32]]] = []
        var counted: [Int: Set<Int>] = [:]
        var stretchOfPart: [[Int?]] = []
        for (number, member) in members.enumerated() {
            let frame = member.laid.frame
            let bases = member.layout.dimensions.indices.filter(member.layout.leaf.keeps)
            let columns = dimensions.compactMap { bases.firstIndex(of: $0.places[number]) }
            let limit = limits[number]
            let limited = limit.flatMap { bases.firstIndex(of: $0.place) }
            var found: [Key: [UInt32]] = [:]
            let stretchesOfMember = frame.parts.map { stretches.place(of: $0.period) }
            stretchOfPart.append(stretchesOfMember)
            for (part, stretch) in stretchesOfMember.enumerated() {
                guard let stretch else { continue }
                for leaf in frame.leaves(of: part..<part + 1) {
                    counted[stretch, default: []].insert(member.metric)
                    let buckets = member.layout.buckets(of: frame.leaves[leaf].cell, in: member.layout.leaf)
                    if let limited, let limit, !limit.buckets.contains(buckets[limited]) { continue }
                    found[Key(stretch: stretch, buckets: columns.map { buckets[$0] }), default: []]
                        .append(UInt32(firstLeaf[places[number]] + leaf))
                }
            }
            leaves.append(found)
        }
        self.leaves = leaves
        self.stretchOfPart = stretchOfPart
        present = Set(counted.filter { $0.value.count == roles.count }.map(\.key))
    }

    /// The leaves of the whole, and those of its parts, by class; only where the whole has any.
    var sides: [Key: (whole: [UInt32], parts: [UInt32])] {
        var sides: [Key: (whole: [UInt32], parts: [UInt32])] = [:]
        for (number, found) in leaves.enumerated() {
            for (key, leaves) in found where present.contains(key.stretch) {
                guard let key = classes(of: key, member: number) else { continue }
                if isWhole[number] {
                    sides[key, default: ([], [])].whole += leaves
                } else {
                    sides[key, default: ([], [])].parts += leaves
                }
            }
        }
        return sides.filter { !$0.value.whole.isEmpty }
            .mapValues { (whole: $0.whole.sorted(), parts: $0.parts.sorted()) }
    }

    /// A member's buckets as classes; nil where a bucket meets none of another's.
    func classes(of key: Key, member: Int) -> Key? {
        var classes: [Int] = []
        for (dimension, bucket) in zip(dimensions, key.buckets) {
            guard dimension.classes[member][bucket] >= 0 else { return nil }
            classes.append(dimension.classes[member][bucket])
        }
        return Key(stretch: key.stretch, buckets: classes)
    }

    /// The stretches that numbers may be about together: each by itself, and those of a longer period that was or will be
    /// released.
    ///
    /// - Parameter periods: of releases.
    func runs(of periods: [Period]) -> [Set<Int>] {
        var runs = present.sorted().map { Set([$0]) }
        for period in periods {
            let inside = Set(present.filter { stretches[$0].start >= period.start && stretches[$0].end <= period.end })
            if inside.count > 1, !runs.contains(inside) { runs.append(inside) }
        }
        return runs
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
                && inside.allSatisfy { $0.kind.divides(stretch.kind) || !Fault.forgetTiling.isOn }
        }
    }

    /// A stretch by its place.
    subscript(place: Int) -> Period { all[place] }

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
