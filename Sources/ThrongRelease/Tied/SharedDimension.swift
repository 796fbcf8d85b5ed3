internal import ThrongPlan

/// What some tied metrics are all split by: buckets of theirs that are made from one field fall into classes, and each of the
/// metrics can add its buckets up to every class.
struct SharedDimension {
    /// By member: where its layout has the dimension.
    let places: [Int]
    /// By member, by bucket: the class.
    let classes: [[Int]]
    /// Which buckets of the first two members meet.
    let overlap: BucketOverlap

    /// Whether anything is told apart by its classes.
    var splits: Bool { classes[0].contains { $0 > 0 } }

    /// The dimensions that some layouts share, whatever they are called.
    static func all(among members: [TiedTable]) -> [SharedDimension] {
        guard let reference = members.first?.laid.frame.layout else { return [] }
        var found: [SharedDimension] = []
        for place in reference.dimensions.indices {
            // By other member, what it has of the same field; the closest first.
            let partners = members.dropFirst().map { member in
                member.layout.dimensions.indices.compactMap { other in
                    members[0].overlap(of: place, with: other, of: member).map { (place: other, overlap: $0) }
                }.sorted { ($0.overlap.meetings, $0.place) < ($1.overlap.meetings, $1.place) }
            }
            guard !partners.contains(where: \.isEmpty) else { continue }
            for variant in 0..<(partners.map(\.count).max() ?? 0) {
                let chosen = partners.map { $0[min(variant, $0.count - 1)] }
                found.append(
                    SharedDimension(
                        places: [place] + chosen.map(\.place),
                        sizes: [reference.dimensions[place].labels.count]
                            + zip(chosen, members.dropFirst()).map { $1.layout.dimensions[$0.place].labels.count },
                        overlaps: chosen.map(\.overlap)))
            }
        }
        return found
    }

    private init(places: [Int], sizes: [Int], overlaps: [BucketOverlap]) {
        self.places = places
        overlap = overlaps.first ?? BucketOverlap(same: sizes[0])
        // Buckets that meet are in one class: those of the first member lead to all others.
        let backs = zip(overlaps, sizes.dropFirst()).map { $0.reversed(count: $1).partners }
        var firsts = sizes.map { Array(repeating: -1, count: $0) }
        var next = 0
        for start in 0..<sizes[0] where firsts[0][start] < 0 {
            var waiting = [start]
            firsts[0][start] = next
            while let bucket = waiting.popLast() {
                for (member, overlap) in overlaps.enumerated() {
                    for other in overlap.partners[bucket] where firsts[member + 1][other] < 0 {
                        firsts[member + 1][other] = next
                        for back in backs[member][other] where firsts[0][back] < 0 {
                            firsts[0][back] = next
                            waiting.append(back)
                        }
                    }
                }
            }
            next += 1
        }
        classes = firsts
    }
}

extension TiedTable {
    var layout: MetricLayout { laid.frame.layout }

    /// How the buckets of a base dimension meet those of another layout's; nil where they have nothing to do with each other.
    func overlap(of place: Int, with other: Int, of table: TiedTable) -> BucketOverlap? {
        layout.overlap(of: place, origins, with: other, of: table.layout, table.origins)
    }
}
