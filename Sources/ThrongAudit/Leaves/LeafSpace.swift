/// All leaves of some metrics that are tied to each other: the finest buckets of every dimension, by moment.
struct LeafSpace {
    /// Dimensions, then time.
    private(set) var axes: [LeafAxis]
    private let moments: Moments
    private var labels: [[String: [Int32]]]
    private var periods: [AuditPeriod: [Int32]] = [:]

    /// - Parameter dimensions: their finest buckets, and coarser labels as sums of these.
    init(dimensions: [AuditPlan.Dimension], periods: Set<AuditPeriod>) {
        moments = Moments(periods)
        axes = dimensions.map {
            LeafAxis(name: $0.name, elements: $0.elements, partitionsDevices: $0.partitionsDevices)
        }
        labels = dimensions.map { dimension in
            var places: [String: [Int32]] = [:]
            for (place, element) in dimension.elements.enumerated() { places[element] = [Int32(place)] }
            for (label, members) in dimension.groups {
                places[label] = members.flatMap { places[$0] ?? [] }.sorted()
            }
            return places
        }
        axes.append(
            LeafAxis(
                name: "when",
                elements: moments.pieces.map {
                    "\(AuditPeriod(start: $0.start, end: $0.end))" + ($0.batch > 0 ? " late batch \($0.batch)" : "")
                }))
        for period in periods { self.periods[period] = moments.members(of: period) }
    }

    /// How many leaves there are.
    var size: Int {
        axes.reduce(1) { product, axis in
            let (size, overflow) = product.multipliedReportingOverflow(by: axis.elements.count)
            return overflow ? .max : size
        }
    }

    /// The leaves that a region names; nil where a label is unknown.
    mutating func region(_ region: AuditRegion) -> LeafRegion? {
        self.region(slices: region.slices.map { ($0.dimension, $0.labels) }, period: region.period)
    }

    /// The leaves of some labels and a period.
    mutating func region(slices: [(dimension: String, labels: [String])], period: AuditPeriod) -> LeafRegion? {
        var sets = Array(repeating: Int32(-1), count: axes.count)
        for slice in slices {
            guard let place = axes.firstIndex(where: { $0.name == slice.dimension }) else { return nil }
            var members: [Int32] = []
            for label in slice.labels {
                guard let found = labels[place][label] else { return nil }
                members += found
            }
            // Two dimensions that are made of the same buckets meet in the buckets of both.
            if sets[place] >= 0 { members = members.filter(Set(axes[place].members(of: sets[place])).contains) }
            sets[place] = axes[place].number(of: Array(Set(members)).sorted())
        }
        guard let members = periods[period], !members.isEmpty else { return nil }
        sets[axes.count - 1] = axes[axes.count - 1].number(of: members)
        return LeafRegion(sets: sets)
    }

    /// The leaves of some labels, at any time.
    mutating func region(slices: [AuditRegion.Slice]) -> LeafRegion? {
        guard let period = periods.keys.first else { return nil }
        guard var region = region(AuditRegion(period: period, slices: slices)) else { return nil }
        region.sets[axes.count - 1] = -1
        return region
    }

    /// The moments of a period that is in use.
    func moments(of region: LeafRegion) -> [Int32] { axes[axes.count - 1].members(of: region.sets[axes.count - 1]) }

    /// From the first moment of a region to its last; nil where it holds part of what was counted then.
    func period(of region: LeafRegion) -> AuditPeriod? {
        let members = self.moments(of: region)
        guard let first = members.first, let last = members.last, last - first + 1 == Int32(members.count) else {
            return nil
        }
        return AuditPeriod(start: moments.pieces[Int(first)].start, end: moments.pieces[Int(last)].end)
    }

    /// When what a leaf holds was counted.
    func period(ofLeaf leaf: Int) -> AuditPeriod {
        let piece = moments.pieces[leaf % max(1, axes[axes.count - 1].elements.count)]
        return AuditPeriod(start: piece.start, end: piece.end)
    }

    /// Calls `body` with every leaf of a region.
    func forEachLeaf(of region: LeafRegion, _ body: (Int) -> Void) {
        let members = zip(axes, region.sets).map { $0.members(of: $1) }
        guard members.allSatisfy({ !$0.isEmpty }) else { return }
        var places = Array(repeating: 0, count: axes.count)
        while true {
            var leaf = 0
            for axis in axes.indices {
                leaf = leaf * axes[axis].elements.count + Int(members[axis][places[axis]])
            }
            body(leaf)
            var axis = axes.count - 1
            while axis >= 0 {
                places[axis] += 1
                if places[axis] < members[axis].count { break }
                places[axis] = 0
                axis -= 1
            }
            if axis < 0 { return }
        }
    }

    /// A leaf in words.
    func name(ofLeaf leaf: Int) -> String {
        var rest = leaf
        var words: [String] = []
        for axis in axes.reversed() {
            words.append("\(axis.name)=\(axis.elements[rest % axis.elements.count])")
            rest /= axis.elements.count
        }
        return words.reversed().joined(separator: ", ")
    }

    /// A region in words.
    func name(of region: LeafRegion) -> String {
        let words = zip(axes, region.sets).filter { $1 >= 0 || $0.name == "when" }.compactMap { axis, set -> String? in
            let members = axis.members(of: set)
            guard axis.name == "when", let first = members.first, let last = members.last else {
                return "\(axis.name)=\(members.map { axis.elements[Int($0)] }.joined(separator: "+"))"
            }
            let start = moments.pieces[Int(first)].start
            let end = moments.pieces[Int(last)].end
            let period = AuditPeriod(start: start, end: end)
            if period == .timeless { return nil }
            let batch = moments.pieces[Int(first)].batch
            return "when=\(period)" + (batch > 0 ? " late batch \(batch)" : "")
        }
        return words.isEmpty ? "everything" : words.joined(separator: ", ")
    }
}

/// A set of leaves: one set number an axis, −1 being the whole axis.
struct LeafRegion: Hashable {
    var sets: [Int32]
}

/// One dimension of the leaf space, or time, with the sets of its finest parts that published numbers add up.
struct LeafAxis {
    /// The dimension's name; time is "when".
    let name: String
    /// The finest parts, named.
    let elements: [String]
    /// Whether a device can be in only one part within a window.
    let partitionsDevices: Bool
    /// Sets in use, by number: element places, ascending.
    private(set) var sets: [[Int32]] = []
    /// By set: a layer; sets of one layer do not overlap, so that an element has at most one of them.
    private(set) var layerOf: [Int] = []
    /// By layer, by element: the set, or −1.
    private(set) var setOf: [[Int32]] = []
    private var numbers: [[Int32]: Int32] = [:]

    init(name: String, elements: [String], partitionsDevices: Bool = false) {
        self.name = name
        self.elements = elements
        self.partitionsDevices = partitionsDevices
    }

    /// The number of a set of elements; −1 is all of them.
    mutating func number(of members: [Int32]) -> Int32 {
        if members.count == elements.count { return -1 }
        if let known = numbers[members] { return known }
        let number = Int32(sets.count)
        numbers[members] = number
        sets.append(members)
        let layer =
            setOf.indices.first { layer in members.allSatisfy { setOf[layer][Int($0)] < 0 } } ?? setOf.count
        if layer == setOf.count { setOf.append(Array(repeating: -1, count: elements.count)) }
        layerOf.append(layer)
        for member in members { setOf[layer][Int(member)] = number }
        return number
    }

    /// The elements of a set.
    func members(of number: Int32) -> [Int32] {
        number < 0 ? Array(0..<Int32(elements.count)) : sets[Int(number)]
    }
}

/// Time cut at every start and end of a published period, and, where a period was issued again, by batch.
///
/// Days, weeks, months, rolling weeks, cumulative series and days of two time zones all are sets of such moments.
struct Moments {
    /// The pieces in order.
    let pieces: [Piece]

    /// An interval between neighbouring cuts, and one batch of what was counted in it.
    struct Piece: Hashable {
        let start: Int64
        let end: Int64
        let batch: Int
    }

    /// - Complexity: O(periods · pieces).
    init(_ periods: Set<AuditPeriod>) {
        let cuts = Set(periods.flatMap { [$0.start, $0.end] }).sorted()
        var pieces: [Piece] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            let covering = periods.filter { $0.start <= start && $0.end >= end }
            guard !covering.isEmpty else { continue }
            let batches = (covering.compactMap(\.revision).max() ?? 0) + 1
            for batch in 0..<batches { pieces.append(Piece(start: start, end: end, batch: batch)) }
        }
        self.pieces = pieces
    }

    /// The pieces of a period.
    func members(of period: AuditPeriod) -> [Int32] {
        pieces.indices.filter {
            pieces[$0].start >= period.start && pieces[$0].end <= period.end
                && pieces[$0].batch <= (period.revision ?? .max)
        }.map(Int32.init)
    }
}
