/// An agreed question that is answered here, from released numbers only, so that nobody needs the data.
public struct Insight: Sendable, Hashable {
    /// What reports name it by.
    public let name: InsightName
    /// Its heading.
    public let title: String
    /// A sentence for the reader, if the plan has one.
    public let explanation: String?
    /// The metric that it reads.
    public let metric: MetricName
    /// What is computed.
    public let kind: Kind
    /// The dimensions that it is broken down by; at most two.
    public let by: [DimensionName]
    /// The buckets that it is confined to: dimension and one bucket each, in the plan's order.
    public let filters: [Filter]

    /// What is computed from the released cells.
    public enum Kind: Sendable, Hashable {
        /// Events.
        case count
        /// Devices, by the floor.
        case reach
        /// Part over whole: each bucket's share of the cell without the split, or the share of the part's bucket.
        case share(of: Basis, part: Filter?)
        /// A clipped sum over the events.
        case mean(sum: String)
        /// Events over the bands of the metric's histogram.
        case distribution
        /// Answers of devices by the week in which they came back, as parts of week 0's.
        case retention(week: DimensionName)
        /// Answers of devices by how often they did something.
        case frequency(band: DimensionName)
    }

    /// What a share counts.
    public enum Basis: String, Sendable, Hashable, CaseIterable, Codable {
        case events
        case devices
    }

    /// One bucket of one dimension.
    public struct Filter: Sendable, Hashable {
        /// The dimension.
        public let dimension: DimensionName
        /// Its bucket.
        public let bucket: BucketLabel

        /// Puts a filter together.
        public init(dimension: DimensionName, bucket: BucketLabel) {
            self.dimension = dimension
            self.bucket = bucket
        }
    }

    /// Puts an insight together.
    public init(
        name: InsightName,
        title: String,
        explanation: String?,
        metric: MetricName,
        kind: Kind,
        by: [DimensionName],
        filters: [Filter]
    ) {
        self.name = name
        self.title = title
        self.explanation = explanation
        self.metric = metric
        self.kind = kind
        self.by = by
        self.filters = filters
    }
}
