internal import ThrongPlan

/// Which combinations of buckets everybody knows to be impossible because both look at one field: nobody is in Austria and not
/// in Austria or Germany.
struct BucketMeetings {
    /// Places among the base dimensions, and by bucket of the first the buckets of the second that it meets.
    private let pairs: [(first: Int, second: Int, partners: [Set<Int>])]

    /// - Parameter origins: what the layout's base dimensions are made from.
    init(in layout: MetricLayout, _ origins: DimensionOrigins) {
        let bases = layout.dimensions.indices.filter(layout.leaf.keeps)
        pairs = bases.indices.flatMap { first in
            bases.indices.dropFirst(first + 1).compactMap { second in
                layout.overlap(of: bases[first], origins, with: bases[second], of: layout, origins).map {
                    (first: first, second: second, partners: $0.partners.map { Set($0) })
                }
            }
        }
    }

    /// The dimensions that look at the same field as one.
    func places(beside place: Int) -> [Int] {
        pairs.filter { $0.first == place }.map(\.second) + pairs.filter { $0.second == place }.map(\.first)
    }

    /// Whether buckets can occur together.
    ///
    /// - Parameter bucket: by place among the base dimensions.
    func isPossible(_ bucket: (Int) -> Int) -> Bool {
        pairs.allSatisfy { $0.partners[bucket($0.first)].contains(bucket($0.second)) }
    }
}
