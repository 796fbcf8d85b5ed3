internal import ThrongPlan

/// One field that two metrics split differently.
struct TiedMeeting {
    let share: TiedShare
    let whole: Int
    let part: Int
    /// The shared dimension.
    let place: Int
    /// The other ones.
    let others: [Int]
    /// By bucket of the whole: buckets of the part that it meets.
    let partners: [[Int]]
    /// By bucket of the part: buckets of the whole that it meets.
    let backs: [[Int]]
    let edges: [Edge]
    let faces: (whole: [[Int]], part: [[Int]])
    /// Leaves by where they are and by own bucket.
    private(set) var sides: (whole: [TiedShare.Key: [Int: [UInt32]]], part: [TiedShare.Key: [Int: [UInt32]]])
    /// What two buckets have in common where neither metric counts it, as an unknown.
    private var unknowns: [TiedShare.Key: [Edge: UInt32]] = [:]

    /// A bucket of the whole and one of the part.
    struct Edge: Hashable, Comparable {
        let whole: Int
        let part: Int
        static func < (left: Self, right: Self) -> Bool { (left.whole, left.part) < (right.whole, right.part) }
    }

    /// Pieces of one bucket.
    struct Cell {
        var pieces: [(leaves: [UInt32], identifiers: [Int64])] = []
        /// A zero a window.
        var windows: [Int64] = []
    }

    /// Nil where buckets of both are the same.
    init?(_ share: TiedShare, along place: Int, whole: Int, part: Int) {
        let dimension = share.dimensions[place]
        let (first, second) = (share.members[whole].layout, share.members[part].layout)
        let sizes = (
            whole: first.dimensions[dimension.places[whole]].labels.count,
            part: second.dimensions[dimension.places[part]].labels.count
        )
        let forward = dimension.overlap
        let reversed = forward.reversed(count: whole == 0 ? sizes.part : sizes.whole)
        partners = whole == 0 ? forward.partners : reversed.partners
        backs = whole == 0 ? reversed.partners : forward.partners
        edges = partners.enumerated().flatMap { bucket, others in others.map { Edge(whole: bucket, part: $0) } }
        faces = (first.faces(of: dimension.places[whole]), second.faces(of: dimension.places[part]))
        guard faces.whole.count > 1 || faces.part.count > 1 || partners.contains(where: { $0.count > 1 }) else {
            return nil
        }
        self.share = share
        self.place = place
        self.whole = whole
        self.part = part
        others = share.dimensions.indices.filter { $0 != place }
        sides = ([:], [:])
        for (key, leaves) in share.leaves[whole] where share.present.contains(key.stretch) {
            guard let context = context(of: key, member: whole) else { continue }
            sides.whole[context, default: [:]][key.buckets[place], default: []] += leaves
        }
        for (key, leaves) in share.leaves[part] where share.present.contains(key.stretch) {
            guard let context = context(of: key, member: part) else { continue }
            sides.part[context, default: [:]][key.buckets[place], default: []] += leaves
        }
    }

    /// Where leaves are but for the field: the stretch, and classes of the other dimensions.
    private func context(of key: TiedShare.Key, member: Int) -> TiedShare.Key? {
        share.classes(of: key, member: member).map { classes in
            TiedShare.Key(stretch: classes.stretch, buckets: others.map { classes.buckets[$0] })
        }
    }

    /// Whether both count the same events.
    var isAll: Bool { share.identity.rest == .none }

    /// Whether a metric counts what the two have in common: all of one of them lies in the other.
    func isCounted(_ edge: Edge) -> Bool {
        backs[edge.part].count == 1 || isAll && partners[edge.whole].count == 1
    }

    /// Adds unknowns where neither metric counts what two buckets have in common, and what they add up to.
    mutating func lay(on board: inout TiedBoard) {
        // Classes in which every edge is counted are tied by their equation.
        let classOf = share.dimensions[place].classes[whole]
        let open = Set(edges.filter { !isCounted($0) }.map { classOf[$0.whole] })
        guard !open.isEmpty else { return }
        let classes = Dictionary(grouping: edges) { classOf[$0.whole] }.filter { open.contains($0.key) }
            .sorted { $0.key < $1.key }.map(\.value)
        for context in Set(sides.whole.keys).union(sides.part.keys).sorted() {
            for inside in classes {
                let flow = spread(inside, context, board.sum)
                let all = spread(inside, context, board.everybody)
                var leaves: [Edge: UInt32] = [:]
                var wholes: [Int: [UInt32]] = [:]
                var parts: [Int: [UInt32]] = [:]
                for edge in inside {
                    let leaf = board.leaf(flow[edge] ?? 0, everybody: all[edge] ?? 0)
                    leaves[edge] = leaf
                    wholes[edge.whole, default: []].append(leaf)
                    parts[edge.part, default: []].append(leaf)
                }
                unknowns[context, default: [:]].merge(leaves) { old, _ in old }
                for (bucket, unknowns) in wholes.sorted(by: { $0.key < $1.key }) {
                    board.tie(unknowns, besides: !isAll, sides.whole[context]?[bucket] ?? [])
                }
                for (bucket, unknowns) in parts.sorted(by: { $0.key < $1.key }) {
                    board.tie(unknowns, besides: false, sides.part[context]?[bucket] ?? [])
                }
            }
        }
    }

    /// How the events of buckets may be spread over what they have in common; the only way where no edges form a circle.
    private func spread(_ all: [Edge], _ context: TiedShare.Key, _ sum: ([UInt32]) -> Int64) -> [Edge: Int64] {
        var first = Dictionary(
            uniqueKeysWithValues: Set(all.map(\.whole)).map { ($0, sum(sides.whole[context]?[$0] ?? [])) })
        var second = Dictionary(
            uniqueKeysWithValues: Set(all.map(\.part)).map { ($0, sum(sides.part[context]?[$0] ?? [])) })
        var degrees = (whole: [Int: Int](), part: [Int: Int]())
        for edge in all {
            degrees.whole[edge.whole, default: 0] += 1
            degrees.part[edge.part, default: 0] += 1
        }
        var left = Set(all)
        var flow: [Edge: Int64] = [:]
        func isLast(_ edge: Edge) -> Bool { degrees.part[edge.part] == 1 || isAll && degrees.whole[edge.whole] == 1 }
        func settle(_ edge: Edge) {
            let amount = max(0, min(first[edge.whole] ?? 0, second[edge.part] ?? 0))
            flow[edge] = amount
            first[edge.whole, default: 0] -= amount
            second[edge.part, default: 0] -= amount
            degrees.whole[edge.whole, default: 0] -= 1
            degrees.part[edge.part, default: 0] -= 1
        }
        // First what nothing else can be, then what that leaves over; in a circle, one that may be anything.
        var certain = all.sorted().filter(isLast)
        for start in [nil] + all.sorted().map({ Optional($0) }) {
            if let start, left.contains(start) { certain.append(start) }
            while let edge = certain.popLast() {
                guard left.remove(edge) != nil else { continue }
                settle(edge)
                let near =
                    (backs[edge.part].map { Edge(whole: $0, part: edge.part) }
                        + partners[edge.whole].map { Edge(whole: edge.whole, part: $0) })
                certain += near.filter { left.contains($0) && isLast($0) }
            }
        }
        return flow
    }

    /// Whether without it its two buckets would have nothing to do with each other: then it is a difference of sums.
    func isDifference(_ edge: Edge) -> Bool {
        var reached: Set<Int> = [edge.whole]
        var waiting = [edge.whole]
        while let bucket = waiting.popLast() {
            for other in partners[bucket] where Edge(whole: bucket, part: other) != edge {
                if other == edge.part { return false }
                for next in backs[other] where reached.insert(next).inserted {
                    waiting.append(next)
                }
            }
        }
        return true
    }

    /// The leaves that two buckets have in common in one place.
    func leaves(of edge: Edge, _ context: TiedShare.Key) -> [UInt32] {
        if let unknown = unknowns[context]?[edge] { return [unknown] }
        if backs[edge.part].count == 1 { return sides.part[context]?[edge.part] ?? [] }
        return sides.whole[context]?[edge.whole] ?? []
    }
}

extension MetricLayout {
    /// What the buckets of a base dimension are shown as: themselves, and those of every dimension that is made of them.
    fileprivate func faces(of place: Int) -> [[Int]] {
        [Array(dimensions[place].labels.indices)]
            + dimensions.compactMap { dimension in
                dimension.coarsening.flatMap { $0.place == place ? $0.buckets : nil }
            }
    }
}

extension TiedBoard {
    /// Lets everybody know that some unknowns are all of a bucket, or all but a rest.
    ///
    /// What a bound or a late start dropped for the other metric only is a rest, too, and in which buckets nobody knows.
    fileprivate mutating func tie(_ unknowns: [UInt32], besides hasRest: Bool, _ bucket: [UInt32]) {
        let left = sum(bucket).subtractedClamped(sum(unknowns))
        let all = everybody(bucket).subtractedClamped(everybody(unknowns))
        let isMore = hasRest || !knowsDifferences && (left > 0 || all > 0)
        tie(unknowns + (isMore ? [leaf(max(0, left), everybody: max(0, all))] : []), bucket)
    }
}
