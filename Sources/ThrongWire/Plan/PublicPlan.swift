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
    /// Whether children use the app; nil stands for ``DirectedTo/general``.
    public let directedTo: DirectedTo?
    /// Texts in the languages that the plan has them in: by language tag, and then by place in the plan, such as
    /// `purposes.product.explanation`. Nil where all texts are in one language.
    public let translations: [String: [String: String]]?
    /// The relay through which purposes go whose ``Purpose/transport`` is ``PurposeTransport/oblivious``; nil where none does.
    public let relay: RelayAddress?
    /// Who evaluates the values of dimensions whose buckets are learned, before they are hashed; nil where nobody does.
    public let evaluator: Evaluator?

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
        /// How long an identifier lives; where there is none, the length of the windows that batches name. Unit: seconds.
        public let rotationSeconds: Int64
        /// How long numbers are kept. Unit: seconds.
        public let retentionSeconds: Int64
        /// The fields that a batch's `context` may hold, sorted.
        public let contextFields: [FieldName]
        /// The events that it counts, sorted by name.
        public let events: [Event]
        /// What the numbers are used for, where the plan says so.
        public let use: PurposeUse?
        /// True where consent counts that a parent gives for a child; nil where everybody agrees for themselves.
        public let consentOfParent: Bool?
        /// Which version of it people are asked about now; nil stands for 1. Who agreed to an earlier one is asked again.
        public let consentVersion: Int?
        /// Whether devices show an identifier; nil stands for ``PurposeIdentifier/rotating``.
        public let identifier: PurposeIdentifier?
        /// Which devices its floors count; nil stands for ``FloorKind/any``.
        public let floor: FloorKind?
        /// How it is sent; nil stands for ``PurposeTransport/direct``.
        public let transport: PurposeTransport?

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
            use: PurposeUse? = nil,
            consentOfParent: Bool? = nil,
            consentVersion: Int? = nil,
            identifier: PurposeIdentifier? = nil,
            floor: FloorKind? = nil,
            transport: PurposeTransport? = nil
        ) {
            self.name = name
            self.explanation = explanation
            self.needsConsent = needsConsent
            self.refusedBy = refusedBy
            self.rotationSeconds = rotationSeconds
            self.retentionSeconds = retentionSeconds
            self.contextFields = contextFields
            self.events = events
            self.use = use
            self.consentOfParent = consentOfParent
            self.consentVersion = consentVersion
            self.identifier = identifier
            self.floor = floor
            self.transport = transport
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
        recipients: [Recipient],
        directedTo: DirectedTo? = nil,
        translations: [String: [String: String]]? = nil,
        relay: RelayAddress? = nil,
        evaluator: Evaluator? = nil
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
        self.directedTo = directedTo
        self.translations = translations
        self.relay = relay
        self.evaluator = evaluator
    }
}

/// Whether children use an app, in the words of 16 CFR 312.2 (COPPA).
public enum DirectedTo: String, Sendable, Hashable, CaseIterable, Codable {
    /// A general audience.
    case general
    /// Directed to children: everybody is taken for one.
    case children
    /// A mixed audience: everybody is taken for a child of whom the client does not know better.
    case mixed
}

/// What a purpose's numbers are used for.
public enum PurposeUse: String, Sendable, Hashable, CaseIterable, Codable {
    /// To make the app better.
    case product
    /// To find out what is slow or broken.
    case performance
    /// To keep people and the app safe.
    case security
    /// To learn something of general interest.
    case research
    /// To advertise, to sell, or to win and keep customers.
    case marketing
}

/// A way in which a person's software says no.
public enum OptOutSignal: String, Sendable, Hashable, CaseIterable, Codable {
    /// The header `Sec-GPC: 1`.
    case globalPrivacyControl = "global_privacy_control"
    /// The header `DNT: 1`.
    case doNotTrack = "do_not_track"
    /// The operating system's setting; the client library honours it.
    case limitAdTracking = "limit_ad_tracking"
    /// Nobody has told the client that the person is grown up.
    case ageSignal = "age_signal"
}
