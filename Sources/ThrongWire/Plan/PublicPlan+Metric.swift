extension PublicPlan {
    /// A metric with its bounds.
    public struct Metric: Codable, Sendable, Hashable {
        /// Its name.
        public let name: MetricName
        /// The title that people read.
        public let title: String
        /// The question that it answers.
        public let question: String
        /// The purpose for which it is counted.
        public let purpose: PurposeName
        /// The events that it counts.
        public let events: [EventName]
        /// The dimensions that split it.
        public let dimensions: [DimensionName]
        /// The length of time that a counter covers.
        public let period: PeriodKind
        /// Longer periods that are released too.
        public let rollups: [PeriodKind]
        /// Clipped sums.
        public let sums: [SumMeasure]
        /// A distribution, if it has one.
        public let histogram: HistogramMeasure?
        /// True if numbers of devices are published.
        public let reach: Bool
        /// The groupings for which devices say which contributions are their first ones. Each is a list of dimensions;
        /// the total is the empty list. nil if devices are not asked.
        public let firstGroupings: [[DimensionName]]?
        /// The periods for which they say it.
        public let firstPeriods: [PeriodKind]?
        /// The cells in which devices prove to be, once a period; nil if they are not asked to.
        public let provedFirsts: ProvedFirsts?
        /// The answers that devices give about themselves, if the metric is made of such answers; its event is theirs alone.
        public let answered: Answered?
        /// The quantity that is counted of identifiers once their window is over, in place of events; nil if events are counted.
        public let within: Within?
        /// Events that one identifier may add in one rotation.
        public let contributionBound: Int
        /// Share of events that clients send.
        public let sampling: Double
        /// Its k. Unit: devices; events where the purpose has no identifiers.
        public let threshold: Int64
        /// Buckets that cannot occur together; events that say so are refused.
        public let impossible: [ImpossibleCombination]
        /// The first day on which it no longer counts: 2027-06-30.
        public let expires: String

        package init(
            name: MetricName, title: String, question: String, purpose: PurposeName, events: [EventName],
            dimensions: [DimensionName], period: PeriodKind, rollups: [PeriodKind], sums: [SumMeasure],
            histogram: HistogramMeasure?, reach: Bool, firstGroupings: [[DimensionName]]? = nil,
            firstPeriods: [PeriodKind]? = nil, provedFirsts: ProvedFirsts? = nil, answered: Answered? = nil,
            within: Within? = nil, contributionBound: Int, sampling: Double, threshold: Int64,
            impossible: [ImpossibleCombination], expires: String
        ) {
            (self.name, self.title, self.question, self.purpose, self.events) = (name, title, question, purpose, events)
            (self.dimensions, self.period, self.rollups, self.sums) = (dimensions, period, rollups, sums)
            (self.histogram, self.reach, self.firstGroupings) = (histogram, reach, firstGroupings)
            (self.firstPeriods, self.provedFirsts, self.answered) = (firstPeriods, provedFirsts, answered)
            (self.within, self.contributionBound, self.sampling) = (within, contributionBound, sampling)
            (self.threshold, self.impossible, self.expires) = (threshold, impossible, expires)
        }
    }

    /// The quantity that the daemon counts of an identifier once its window is over: one of the two, in buckets of one dimension.
    public struct Within: Codable, Sendable, Hashable {
        /// The dimension that the quantity makes.
        public let name: DimensionName
        /// The number of the metric's events that the identifier sent.
        public let frequency: Frequency?
        /// The last step that the identifier reached.
        public let funnel: Funnel?

        /// A number of events, in bands.
        public struct Frequency: Codable, Sendable, Hashable {
            /// The bands' lower edges, of which the first is 1.
            public let bands: [Int]

            package init(bands: [Int]) { self.bands = bands }
        }

        /// Steps that count one after the other.
        public struct Funnel: Codable, Sendable, Hashable {
            /// The steps in order.
            public let steps: [Step]

            package init(steps: [Step]) { self.steps = steps }
        }

        /// One step.
        public struct Step: Codable, Sendable, Hashable {
            /// The title that people read.
            public let title: BucketLabel
            /// The event by which it is taken.
            public let event: EventName
            /// The buckets in which the event has to be, one a dimension.
            public let filters: [ImpossibleCombination.Part]

            package init(title: BucketLabel, event: EventName, filters: [ImpossibleCombination.Part]) {
                (self.title, self.event, self.filters) = (title, event, filters)
            }
        }

        package init(name: DimensionName, frequency: Frequency?, funnel: Funnel?) {
            (self.name, self.frequency, self.funnel) = (name, frequency, funnel)
        }
    }

    /// The question that a device answers about itself, once a period.
    public struct Answered: Codable, Sendable, Hashable {
        /// The weeks after its first one in which it recorded any of some events; said with the first of each week.
        public let retention: Retention?
        /// The number of some events that it recorded; said once the period is over.
        public let frequency: Frequency?

        /// The weeks after the first one in which a device came back.
        public struct Retention: Codable, Sendable, Hashable {
            /// Any of these events is a return.
            public let of: [EventName]
            /// The last week after the first one that is answered.
            public let weeks: Int

            package init(of: [EventName], weeks: Int) { (self.of, self.weeks) = (of, weeks) }
        }

        /// The number of events that a device recorded in a period.
        public struct Frequency: Codable, Sendable, Hashable {
            /// The events that are added up.
            public let of: [EventName]
            /// The period over which they are added up.
            public let per: PeriodKind
            /// The lower edges of the bands that are kept.
            public let bands: [Double]

            package init(of: [EventName], per: PeriodKind, bands: [Double]) {
                (self.of, self.per, self.bands) = (of, per, bands)
            }
        }

        package init(retention: Retention?, frequency: Frequency?) {
            (self.retention, self.frequency) = (retention, frequency)
        }
    }

    /// The cells in which a device proves to be, by a credential: once for each length of time and cell.
    public struct ProvedFirsts: Codable, Sendable, Hashable {
        /// The lengths of time.
        public let periods: [PeriodKind]
        /// The groupings, each a list of dimensions that do not partition devices. A device has a first in each of
        /// their cells that it was in. The empty list is the one cell that holds everything.
        public let groupings: [[DimensionName]]
        /// The dimensions that partition devices: each first says its bucket of these, too.
        public let partition: [DimensionName]
        /// A name for what the metric counts and in which buckets: 32 hexadecimal digits. A proof holds for one layout.
        public let layout: String

        package init(periods: [PeriodKind], groupings: [[DimensionName]], partition: [DimensionName], layout: String) {
            (self.periods, self.groupings, self.partition, self.layout) = (periods, groupings, partition, layout)
        }
    }
}

/// A sum of a field whose values are clipped to declared bounds and kept as whole units.
public struct SumMeasure: Sendable, Hashable, Codable {
    /// Column name in the analyst's view.
    public let name: String
    /// The field that is summed.
    public let field: FieldName
    /// Values are clipped to this range before they are added. Unit: the field's.
    public let lowest: Double
    /// The upper end of the range. See ``lowest``.
    public let highest: Double
    /// Decimal places kept: a sum counts units of 10^-decimals. 0 to 6.
    public let decimals: Int
    /// The unit that people read beside the number, such as EUR.
    public let unit: String

    /// Creates a sum with its name, field, bounds, decimals and unit.
    public init(name: String, field: FieldName, lowest: Double, highest: Double, decimals: Int, unit: String) {
        (self.name, self.field, self.lowest, self.highest) = (name, field, lowest, highest)
        (self.decimals, self.unit) = (decimals, unit)
    }

    /// A value as the whole number of 10^-decimals units that is added: clipped, then rounded half to even.
    public func quantum(of value: Double) -> Int64 {
        let clipped = Swift.min(Swift.max(value, lowest), highest)
        return Int64((clipped * scale).rounded(.toNearestOrEven))
    }

    /// 10^decimals.
    public var scale: Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return scale
    }
}

/// A distribution of a field over declared bands.
public struct HistogramMeasure: Sendable, Hashable, Codable {
    /// Name of the dimension that it adds to the cube.
    public let name: DimensionName
    /// The title that people read above its column; nil stands for the name.
    public package(set) var title: String?
    /// The field whose values are spread.
    public let field: FieldName
    /// Ascending band edges. Unit: the field's.
    public let edges: [Double]
    /// The unit that people read beside the axis, such as EUR.
    public let unit: String

    /// Creates a histogram with its name, title, field, edges and unit.
    public init(name: DimensionName, title: String? = nil, field: FieldName, edges: [Double], unit: String) {
        (self.name, self.title, self.field, self.edges, self.unit) = (name, title, field, edges, unit)
    }
}

/// Buckets of different dimensions that no event can have together, and everybody may know it.
///
/// A structural zero: cells that lie in one are empty because they must be, not because they are small.
public struct ImpossibleCombination: Sendable, Hashable, Codable {
    /// Never empty, each dimension once, in the order of the metric's dimensions.
    public let parts: [Part]

    /// One bucket of one dimension.
    public struct Part: Sendable, Hashable, Codable {
        /// A base dimension of the metric, or its histogram.
        public let dimension: DimensionName
        /// Its bucket.
        public let bucket: BucketLabel

        /// Creates a part with its dimension and bucket.
        public init(dimension: DimensionName, bucket: BucketLabel) {
            (self.dimension, self.bucket) = (dimension, bucket)
        }
    }

    /// Creates a combination with its parts.
    public init(parts: [Part]) { self.parts = parts }
}

/// The identifier that devices show for a purpose, if any.
public enum PurposeIdentifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// A random one, another in each window.
    case rotating
    /// None: a value is sent, and a counter goes up. Nobody knows how many devices there were.
    case absent = "none"
}

/// The devices that a purpose's floors count: these alone can reach k.
public enum FloorKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// All devices that show an identifier. Identifiers can be made up, so k is a bound against honest clients.
    case any
    /// Devices whose identifier is proved by a credential. Others add to values, and to no floor.
    case attested
}

/// The way in which a purpose's data reaches the daemon.
public enum PurposeTransport: String, Sendable, Hashable, Codable, CaseIterable {
    /// Straight from the device to the daemon, which sees the address while a request arrives.
    case direct
    /// Sealed and through a relay. The daemon sees no address, and accepts the purpose's data in no other way.
    case oblivious
}

/// The senders whose batches a purpose takes.
public enum PurposeSenders: String, Sendable, Hashable, Codable, CaseIterable {
    /// Clients and backends.
    case anybody
    /// Backends only, which show a secret.
    case backends
}
