/// What everybody may know of a plan, as clients and readers get it: everything but where reports are put.
///
/// Arrays keep the plan's order unless they stand for sets, which are sorted. As JSON, keys are in snake_case.
public struct PublicPlan: Codable, Sendable, Hashable {
    /// What clients send as `app`.
    public let app: AppName
    /// What people call it.
    public let title: String
    /// Whom to ask.
    public let contact: String
    /// Where days begin: a name from the IANA time zone database.
    public let timeZone: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    public let version: String
    /// The app's k. Unit: devices.
    public let threshold: Int64
    /// Why things are counted.
    public let purposes: [Purpose]
    /// How fields are coarsened.
    public let dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others.
    public let derivedDimensions: [DerivedDimension]
    /// What is counted.
    public let metrics: [Metric]
    /// Who receives what.
    public let recipients: [Recipient]

    /// A purpose with the events that may be sent for it.
    public struct Purpose: Codable, Sendable, Hashable {
        /// What clients send as `purpose`.
        public let name: PurposeName
        /// What the numbers are for.
        public let explanation: String
        /// Whether the person has to agree first.
        public let needsConsent: Bool
        /// Which opt-out signals refuse it, sorted.
        public let refusedBy: [OptOutSignal]
        /// How long an identifier lives. Unit: seconds.
        public let rotationSeconds: Int64
        /// How long numbers are kept. Unit: seconds.
        public let retentionSeconds: Int64
        /// The fields that a batch's `context` may hold, sorted.
        public let contextFields: [FieldName]
        /// The events that it counts, sorted by name.
        public let events: [Event]
        /// What its noisy releases may cost together, if it makes any.
        public let budget: Budget?

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: PurposeName,
            explanation: String,
            needsConsent: Bool,
            refusedBy: [OptOutSignal],
            rotationSeconds: Int64,
            retentionSeconds: Int64,
            contextFields: [FieldName],
            events: [Event],
            budget: Budget?
        ) {
            self.name = name
            self.explanation = explanation
            self.needsConsent = needsConsent
            self.refusedBy = refusedBy
            self.rotationSeconds = rotationSeconds
            self.retentionSeconds = retentionSeconds
            self.contextFields = contextFields
            self.events = events
            self.budget = budget
        }
    }

    /// What the noisy releases of a purpose may cost in each slot of time: epsilon or rho.
    public struct Budget: Codable, Sendable, Hashable {
        /// For pure differential privacy, as an exact number: 31/2.
        public let epsilon: String?
        /// For zero-concentrated differential privacy.
        public let rho: String?
        /// How long it has to last: day, week, month or purpose.
        public let per: String

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            epsilon: String?, rho: String?, per: String
        ) {
            self.epsilon = epsilon
            self.rho = rho
            self.per = per
        }
    }

    /// An event with the fields that it may carry.
    public struct Event: Codable, Sendable, Hashable {
        /// What clients send as `event`.
        public let name: EventName
        /// The fields that metrics use, sorted.
        public let fields: [FieldName]

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: EventName, fields: [FieldName]
        ) {
            self.name = name
            self.fields = fields
        }
    }

    /// A dimension with all of its buckets.
    public struct Dimension: Codable, Sendable, Hashable {
        /// Its name in metrics.
        public let name: DimensionName
        /// What people read.
        public let title: String
        /// The field that is coarsened.
        public let field: FieldName
        /// How the field becomes a bucket, so that a device can do it before anything leaves.
        public let rule: BucketingRule
        /// All that is ever kept of the field.
        public let buckets: [BucketLabel]
        /// Whether a device is in only one bucket.
        public let partitionsDevices: Bool

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: DimensionName,
            title: String,
            field: FieldName,
            rule: BucketingRule,
            buckets: [BucketLabel],
            partitionsDevices: Bool
        ) {
            self.name = name
            self.title = title
            self.field = field
            self.rule = rule
            self.buckets = buckets
            self.partitionsDevices = partitionsDevices
        }
    }

    /// A dimension that is made of the buckets of another.
    public struct DerivedDimension: Codable, Sendable, Hashable {
        /// Its name in insights.
        public let name: DimensionName
        /// What people read.
        public let title: String
        /// The dimension that it is made of.
        public let of: DimensionName
        /// Its buckets, each with those that it holds; the rest goes to `other`.
        public let groups: [BucketGroup]
        /// Whether a device is in only one bucket.
        public let partitionsDevices: Bool

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: DimensionName, title: String, of: DimensionName, groups: [BucketGroup], partitionsDevices: Bool
        ) {
            self.name = name
            self.title = title
            self.of = of
            self.groups = groups
            self.partitionsDevices = partitionsDevices
        }
    }

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
        /// What devices answer about themselves, where the metric is made of such answers; its event is theirs alone.
        public let answered: Answered?
        /// What is counted of identifiers instead of events, once their window is over; nil where events are counted.
        public let within: Within?
        /// Events that one identifier may add in one rotation.
        public let contributionBound: Int
        /// Share of events that clients send.
        public let sampling: Double
        /// Its k. Unit: devices; nil where every number carries noise instead.
        public let threshold: Int64?
        /// How close an estimate of a withheld number may come. Unit: percent of it.
        public let protection: Int64
        /// Dimensions of which nobody may learn that a whole cohort is in one bucket.
        public let sensitive: [DimensionName]
        /// Buckets that cannot occur together; events that say so are refused.
        public let impossible: [ImpossibleCombination]
        /// The noise of its numbers and what one release costs; nil where they are exact.
        public let noise: Noise?
        /// Leaf cells that one identifier may touch in one rotation; nil where there is no noise.
        public let cellsBound: Int?
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
            answered: Answered? = nil,
            within: Within? = nil,
            contributionBound: Int,
            sampling: Double,
            threshold: Int64?,
            protection: Int64,
            sensitive: [DimensionName],
            impossible: [ImpossibleCombination],
            noise: Noise?,
            cellsBound: Int?,
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
            self.answered = answered
            self.within = within
            self.contributionBound = contributionBound
            self.sampling = sampling
            self.threshold = threshold
            self.protection = protection
            self.sensitive = sensitive
            self.impossible = impossible
            self.noise = noise
            self.cellsBound = cellsBound
            self.expires = expires
        }
    }

    /// The noise of a metric's numbers.
    public struct Noise: Codable, Sendable, Hashable {
        /// laplace or gaussian.
        public let mechanism: String
        /// What one release costs, for laplace: an exact number such as 1/2.
        public let epsilon: String?
        /// What one release costs, for gaussian.
        public let rho: String?

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            mechanism: String, epsilon: String?, rho: String?
        ) {
            self.mechanism = mechanism
            self.epsilon = epsilon
            self.rho = rho
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

    /// A partner with what its reports hold.
    public struct Recipient: Codable, Sendable, Hashable {
        /// Its name.
        public let name: PartnerName
        /// What people call it.
        public let title: String
        /// Whom to ask there.
        public let contact: String
        /// The titles of the insights that it receives, in the order of its reports.
        public let insights: [String]

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            name: PartnerName, title: String, contact: String, insights: [String]
        ) {
            self.name = name
            self.title = title
            self.contact = contact
            self.insights = insights
        }
    }

    /// Puts it together; the plan's reader has checked its parts.
    package init(
        app: AppName,
        title: String,
        contact: String,
        timeZone: String,
        version: String,
        threshold: Int64,
        purposes: [Purpose],
        dimensions: [Dimension],
        derivedDimensions: [DerivedDimension],
        metrics: [Metric],
        recipients: [Recipient]
    ) {
        self.app = app
        self.title = title
        self.contact = contact
        self.timeZone = timeZone
        self.version = version
        self.threshold = threshold
        self.purposes = purposes
        self.dimensions = dimensions
        self.derivedDimensions = derivedDimensions
        self.metrics = metrics
        self.recipients = recipients
    }
}
