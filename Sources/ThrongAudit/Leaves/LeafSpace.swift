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
        axes = dimensions.map { LeafAxis(name: $0.name, elements: $0.elements) }
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

    /// The moments of a period that is in use.
    func moments(of region: LeafRegion) -> [Int32] { axes[axes.count - 1].members(of: region.sets[axes.count - 1]) }

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
