import Crypto

/// How a metric is laid out in counters: everything that gives a counter its meaning, and nothing else.
///
/// Two plans in which a metric has the same layout add to the same counters; any difference starts new ones. The
/// layout's JSON goes into the journal's folder and into PostgreSQL, so that both can be read without the plan.
public struct MetricLayout: Hashable, Sendable, Codable {
    /// The app's name.
    public let app: AppName
    /// The metric's name.
    public let metric: MetricName
    /// The purpose under whose identifiers it is counted.
    public let purpose: PurposeName
    /// The length of that purpose's windows.
    public let rotation: Rotation
    /// What a counter covers.
    public let period: PeriodKind
    /// Where days begin.
    public let timeZone: String
    /// How it is split; the histogram is the last.
    public let dimensions: [DimensionLayout]
    /// The clipped sums, which follow the count.
    public let sums: [SumMeasure]
    /// Events that one identifier may add in one window.
    public let contributionBound: Int
    /// The margins whose distinct identifiers are counted: leaf first, then ascending.
    ///
    /// Each keeps every dimension that partitions devices, because summing such a dimension out needs no count of its
    /// own (design, section 5).
    public let trackedMargins: [Margin]

    /// One dimension as counters see it.
    public struct DimensionLayout: Hashable, Sendable, Codable {
        /// Column name.
        public let name: DimensionName
        /// The buckets in order.
        public let labels: [BucketLabel]
        /// Whether a device can be in only one bucket within a window.
        public let partitionsDevices: Bool
        /// What tells two bucketings with the same labels apart: the rule and its version.
        public let rule: String

        /// Puts a dimension's layout together.
        public init(name: DimensionName, labels: [BucketLabel], partitionsDevices: Bool, rule: String) {
            self.name = name
            self.labels = labels
            self.partitionsDevices = partitionsDevices
            self.rule = rule
        }
    }

    /// Puts a layout together; `groupings` are the margins that a release will show.
    public init(
        app: AppName,
        metric: MetricName,
        purpose: PurposeName,
        rotation: Rotation,
        period: PeriodKind,
        timeZone: String,
        dimensions: [DimensionLayout],
        sums: [SumMeasure],
        contributionBound: Int,
        groupings: [Margin]
    ) {
        self.app = app
        self.metric = metric
        self.purpose = purpose
        self.rotation = rotation
        self.period = period
        self.timeZone = timeZone
        self.dimensions = dimensions
        self.sums = sums
        self.contributionBound = contributionBound
        let partition = Margin(keeping: dimensions.indices.filter { dimensions[$0].partitionsDevices })
        let leaf = Margin(keeping: dimensions.indices)
        let others = Set(groupings.map { $0.union(partition) }).subtracting([leaf])
        trackedMargins = [leaf] + others.sorted()
    }

    /// The margin that keeps every dimension.
    public var leaf: Margin { trackedMargins[0] }

    /// The dimensions that partition devices.
    public var partition: Margin { Margin(keeping: dimensions.indices.filter { dimensions[$0].partitionsDevices }) }

    /// Cells in a margin.
    public func size(of margin: Margin) -> Int {
        dimensions.indices.reduce(1) { margin.keeps($1) ? $0 * dimensions[$1].labels.count : $0 }
    }

    /// The cell of `margin` that holds a cell of a finer margin.
    ///
    /// - Precondition: `finer.refines(margin)`.
    public func project(_ cell: CellIndex, from finer: Margin, to margin: Margin) -> CellIndex {
        if finer == margin { return cell }
        var rest = cell.value
        var result: UInt32 = 0
        var weight: UInt32 = 1
        for place in dimensions.indices.reversed() where finer.keeps(place) {
            let size = UInt32(dimensions[place].labels.count)
            if margin.keeps(place) {
                result += weight * (rest % size)
                weight *= size
            }
            rest /= size
        }
        return CellIndex(result)
    }

    /// The buckets of a cell, one per kept dimension, as indices into their labels.
    public func buckets(of cell: CellIndex, in margin: Margin) -> [Int] {
        var rest = Int(cell.value)
        var result: [Int] = []
        for place in dimensions.indices.reversed() where margin.keeps(place) {
            let size = dimensions[place].labels.count
            result.append(rest % size)
            rest /= size
        }
        return result.reversed()
    }

    /// The cell that these buckets name, one per kept dimension.
    public func cell(buckets: [Int], in margin: Margin) -> CellIndex {
        var result = 0
        var next = 0
        for place in dimensions.indices where margin.keeps(place) {
            result = result * dimensions[place].labels.count + buckets[next]
            next += 1
        }
        return CellIndex(UInt32(result))
    }

    /// What identifies this layout: the SHA-256 of its JSON with sorted keys.
    public var id: LayoutID { LayoutID(Array(SHA256.hash(data: json))) }
}

/// The identity of a layout: 32 bytes.
public struct LayoutID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The digest.
    public let bytes: [UInt8]
    /// Wraps a digest of 32 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Orders by bytes.
    public static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    /// 64 lower-case hexadecimal digits.
    public var description: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
