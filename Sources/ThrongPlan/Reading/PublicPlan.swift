public import ThrongNoise

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
    }

    /// What the noisy releases of a purpose may cost in each slot of time: epsilon or rho.
    public struct Budget: Codable, Sendable, Hashable {
        /// For pure differential privacy.
        public let epsilon: Rational?
        /// For zero-concentrated differential privacy.
        public let rho: Rational?
        /// How long it has to last.
        public let per: BudgetSpan
    }

    /// An event with the fields that it may carry.
    public struct Event: Codable, Sendable, Hashable {
        /// What clients send as `event`.
        public let name: EventName
        /// The fields that metrics use, sorted.
        public let fields: [FieldName]
    }

    /// A dimension with all of its buckets.
    public struct Dimension: Codable, Sendable, Hashable {
        /// Its name in metrics.
        public let name: DimensionName
        /// What people read.
        public let title: String
        /// The field that is coarsened.
        public let field: FieldName
        /// All that is ever kept of the field.
        public let buckets: [BucketLabel]
        /// Whether a device is in only one bucket.
        public let partitionsDevices: Bool
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
        public let noise: NoiseMechanism?
        /// Leaf cells that one identifier may touch in one rotation; nil where there is no noise.
        public let cellsBound: Int?
        /// The first day on which it no longer counts: 2027-06-30.
        public let expires: String
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
    }
}
