internal import ThrongPlan
internal import ThrongRelease

/// The covariances of a release's noise, as far as everybody knows them from the layout and the stated margins.
///
/// Each number is a sum of interactions (Margins page, "Noise"). Two sums of a and b of a field's n buckets, c of
/// which are in both, have in that field ab/n² of the total's variance in common, and (c − ab/n)·n/(n − 1) of the
/// interaction's: an interaction's draws have the variance V/(1 − 1/n). Over several fields the factors are
/// multiplied. A part of a whole has c = a and b = n, which is a/n of the whole's variance. Events and sums add up
/// over all dimensions. Devices do over those that partition them; of different occasions they are different
/// questions, and have nothing in common.
struct MarginLaw: Sendable {
    enum Measure: Sendable, Hashable {
        /// Events, or identifiers.
        case count
        /// The sum at that place.
        case sum(Int)
        case devices
    }

    private let header: ReleaseHeader

    /// The law of a release; nil before it is drawn.
    init?(_ header: ReleaseHeader) {
        guard header.margins != nil else { return nil }
        self.header = header
    }

    /// A number of the release, or a sum of numbers.
    ///
    /// - Parameter buckets: by dimension that its grouping keeps, those that are added up.
    /// - Returns: nil where the release does not show the grouping, or says no margin of it.
    func number(_ buckets: [Int: Set<Int>], of measure: Measure) -> DrawnNumber? {
        let grouping = Margin(keeping: buckets.keys)
        let stated: Int64? =
            switch measure {
            case .count: header.margin(of: grouping)
            case .sum(let place): header.margin(of: grouping, measure: place + 1)
            case .devices: header.deviceMargin(of: grouping)
            }
        guard let stated else { return nil }
        let dimensions = header.layout.dimensions
        func isSplit(_ place: Int) -> Bool { measure != .devices || dimensions[place].partitionsDevices }
        var fields: [Int: Set<Int>] = [:]
        for (place, chosen) in buckets where isSplit(place) {
            let coarsening = dimensions[place].coarsening
            let own =
                coarsening.map { coarse in Set(coarse.buckets.indices.filter { chosen.contains(coarse.buckets[$0]) }) }
                ?? chosen
            let base = coarsening?.place ?? place
            fields[base] = fields[base].map { $0.intersection(own) } ?? own
        }
        var widest = 1.0
        for place in fields.keys { widest *= widestCell(of: place, in: buckets.keys.filter(isSplit)) }
        return DrawnNumber(
            measure: measure,
            fields: fields.sorted { $0.key < $1.key }.map {
                .init(place: $0.key, size: dimensions[$0.key].labels.count, buckets: $0.value)
            }, occasions: buckets.filter { !isSplit($0.key) },
            deviation: Double(stated) / Interval.z / widest.squareRoot())
    }

    /// The largest factor that one cell has in a base dimension: stated margins are those of the widest cells.
    private func widestCell(of base: Int, in kept: [Int]) -> Double {
        let dimensions = header.layout.dimensions
        let size = dimensions[base].labels.count
        if kept.contains(base) { return DrawnNumber.common(1, 1, both: 1, of: size) }
        let coarse = kept.compactMap { dimensions[$0].coarsening }.filter { $0.place == base }
        let cells = Dictionary(grouping: dimensions[base].labels.indices) { bucket in coarse.map { $0.buckets[bucket] }
        }
        return cells.values.map { DrawnNumber.common($0.count, $0.count, both: $0.count, of: size) }.max() ?? 1
    }
}

/// A drawn number, as far as its noise goes.
struct DrawnNumber: Sendable {
    /// One base dimension that it is split by.
    struct Field: Sendable {
        let place: Int
        let size: Int
        /// The buckets that the number sums up.
        let buckets: Set<Int>
    }

    /// Different measures are drawn by themselves.
    let measure: MarginLaw.Measure
    /// Ascending by place.
    let fields: [Field]
    /// The buckets that tell what devices did, by dimension; only for numbers of devices.
    let occasions: [Int: Set<Int>]
    /// The standard deviation of the total of its question, by its own margin.
    let deviation: Double

    /// Unit: the measure's, squared.
    var variance: Double { covariance(with: self) }

    /// The margin, which holds in 19 of 20 cases. Unit: the measure's.
    var margin: Int64 { Int64((Interval.z * variance.squareRoot() - 1e-6).rounded(.up)) }

    /// Unit: the measure's, squared.
    func covariance(with other: DrawnNumber) -> Double {
        guard measure == other.measure, occasions == other.occasions else { return 0 }
        var product = deviation * other.deviation
        var rest = other.fields[...]
        for field in fields {
            while let next = rest.first, next.place < field.place {
                product *= Double(next.buckets.count) / Double(next.size)
                rest.removeFirst()
            }
            let count = field.buckets.count
            if let next = rest.first, next.place == field.place {
                let both = field.buckets.intersection(next.buckets).count
                product *= Self.common(count, next.buckets.count, both: both, of: field.size)
                rest.removeFirst()
            } else {
                product *= Double(count) / Double(field.size)
            }
        }
        for next in rest { product *= Double(next.buckets.count) / Double(next.size) }
        return product
    }

    /// Returns the factor of the total's variance that two sums of some of a field's buckets have in common; 1 for two
    /// sums of all buckets.
    static func common(_ one: Int, _ other: Int, both: Int, of size: Int) -> Double {
        guard size > 1 else { return 1 }
        let (one, other, both, size) = (Double(one), Double(other), Double(both), Double(size))
        let total = one * other / size
        return total / size + (both - total) * size / (size - 1)
    }
}
