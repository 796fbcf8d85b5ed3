extension PublicPlan {
    /// A metric with its bounds.
    public struct Metric: Codable, Sendable, Hashable {
        /// Its name.
        public let name: MetricName
        /// What people read.
        public let title: String
        /// The question that it answers.
        public let question: String
        /// Why it is counted.
        public let purpose: PurposeName
        /// The events that it counts.
        public let events: [EventName]
        /// How it is split.
        public let dimensions: [DimensionName]
        /// What a counter covers.
        public let period: PeriodKind
        /// Longer periods that are released too.
        public let rollups: [PeriodKind]
        /// Clipped sums.
        public let sums: [SumMeasure]
        /// A distribution, if it has one.
        public let histogram: HistogramMeasure?
        /// Whether numbers of devices are published.
        public let reach: Bool
        /// Where devices say which contributions are their first ones: the groupings that they say it for, each a list
        /// of dimensions; the total is the empty list. nil where they are not asked.
        public let firstGroupings: [[DimensionName]]?
        /// The periods for which they say it.
        public let firstPeriods: [PeriodKind]?
        /// What devices prove to be in, once a period; nil where they are not asked to.
        public let provedFirsts: ProvedFirsts?
        /// What devices answer about themselves, where the metric is made of such answers; its event is theirs alone.
        public let answered: Answered?
        /// What is counted of identifiers instead of events, once their window is over; nil where events are counted.
        public let within: Within?
        /// Events that one identifier may add in one rotation.
        public let contributionBound: Int
        /// Share of events that clients send.
        public let sampling: Double
        /// Its k. Unit: devices; events where the purpose has no identifiers.
        public let threshold: Int64
        /// How close an estimate of a withheld number may come, where numbers are exact. Unit: percent of it.
        public let protection: Int64
        /// Dimensions of which nobody may learn that a whole cohort is in one bucket.
        public let sensitive: [DimensionName]
        /// Buckets that cannot occur together; events that say so are refused.
        public let impossible: [ImpossibleCombination]
        /// How far off its numbers are on purpose: standard; nil where they are exact.
        public let margin: String?
        /// The first day on which it no longer counts: 2027-06-30.
        public let expires: String

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: MetricName,
            title: String,
            question: String,
            purpose: PurposeName,
            events: [EventName],
            dimensions: [DimensionName],
            period: PeriodKind,
            rollups: [PeriodKind],
            sums: [SumMeasure],
            histogram: HistogramMeasure?,
            reach: Bool,
            firstGroupings: [[DimensionName]]? = nil,
            firstPeriods: [PeriodKind]? = nil,
            provedFirsts: ProvedFirsts? = nil,
            answered: Answered? = nil,
            within: Within? = nil,
            contributionBound: Int,
            sampling: Double,
            threshold: Int64,
            protection: Int64,
            sensitive: [DimensionName],
            impossible: [ImpossibleCombination],
            margin: String?,
            expires: String
        ) {
            self.name = name
            self.title = title
            self.question = question
            self.purpose = purpose
            self.events = events
            self.dimensions = dimensions
            self.period = period
            self.rollups = rollups
            self.sums = sums
            self.histogram = histogram
            self.reach = reach
            self.firstGroupings = firstGroupings
            self.firstPeriods = firstPeriods
            self.provedFirsts = provedFirsts
            self.answered = answered
            self.within = within
            self.contributionBound = contributionBound
            self.sampling = sampling
            self.threshold = threshold
            self.protection = protection
            self.sensitive = sensitive
            self.impossible = impossible
            self.margin = margin
            self.expires = expires
        }
    }

    /// What the daemon counts of an identifier once its window is over: one of the two, in buckets of one dimension.
    public struct Within: Codable, Sendable, Hashable {
        /// The dimension that is made of it.
        public let name: DimensionName
        /// How many of the metric's events it sent.
        public let frequency: Frequency?
        /// How far it came.
        public let funnel: Funnel?

        /// In bands.
        public struct Frequency: Codable, Sendable, Hashable {
            /// Their lower edges, 1 the first.
            public let bands: [Int]

            /// Puts it together; the plan's reader has checked its parts.
            package init(bands: [Int]) { self.bands = bands }
        }

        /// By steps that count one after the other.
        public struct Funnel: Codable, Sendable, Hashable {
            /// In order.
            public let steps: [Step]

            /// Puts it together; the plan's reader has checked its parts.
            package init(steps: [Step]) { self.steps = steps }
        }

        /// One step.
        public struct Step: Codable, Sendable, Hashable {
            /// What people call it.
            public let title: BucketLabel
            /// The event by which it is taken.
            public let event: EventName
            /// The buckets in which the event has to be, one a dimension.
            public let filters: [ImpossibleCombination.Part]

            /// Puts it together; the plan's reader has checked its parts.
            package init(title: BucketLabel, event: EventName, filters: [ImpossibleCombination.Part]) {
                self.title = title
                self.event = event
                self.filters = filters
            }
        }

        /// Puts it together; the plan's reader has checked its parts.
        package init(name: DimensionName, frequency: Frequency?, funnel: Funnel?) {
            self.name = name
            self.frequency = frequency
            self.funnel = funnel
        }
    }

    /// What a device is asked to answer about itself, once a period.
    public struct Answered: Codable, Sendable, Hashable {
        /// In which weeks after its first one it recorded any of some events; said with the first of each week.
        public let retention: Retention?
        /// How many of some events it recorded; said once the period is over.
        public let frequency: Frequency?

        /// The weeks after the first one in which a device came back.
        public struct Retention: Codable, Sendable, Hashable {
            /// Any of these events is a return.
            public let of: [EventName]
            /// The last week after the first one that is answered.
            public let weeks: Int

            /// Puts it together; the plan's reader has checked its parts.
            package init(
                of: [EventName], weeks: Int
            ) {
                self.of = of
                self.weeks = weeks
            }
        }

        /// How often a device recorded something in a period.
        public struct Frequency: Codable, Sendable, Hashable {
            /// The events that are added up.
            public let of: [EventName]
            /// How long they are added up.
            public let per: PeriodKind
            /// The lower edges of the bands that are kept.
            public let bands: [Double]

            /// Puts it together; the plan's reader has checked its parts.
            package init(
                of: [EventName], per: PeriodKind, bands: [Double]
            ) {
                self.of = of
                self.per = per
                self.bands = bands
            }
        }

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            retention: Retention?, frequency: Frequency?
        ) {
            self.retention = retention
            self.frequency = frequency
        }
    }
}
