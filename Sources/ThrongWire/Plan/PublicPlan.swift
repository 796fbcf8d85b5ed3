/// The public part of a plan, as clients and readers get it: everything but the places where reports are put.
///
/// Arrays keep the plan's order unless they stand for sets, which are sorted. Keys of its JSON are in snake_case. The
/// initializers take parts that the plan's reader has checked.
public struct PublicPlan: Codable, Sendable, Hashable {
    /// The app's name, which clients send as `app`.
    public let app: AppName
    /// The title that people read.
    public let title: String
    /// The contact for questions.
    public let contact: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    public let timeZone: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    public let version: String
    /// The app's k. Unit: devices.
    public let threshold: Int64
    /// The purposes for which things are counted.
    public let purposes: [Purpose]
    /// The dimensions: how fields are coarsened.
    public let dimensions: [Dimension]
    /// Coarser dimensions that are made of the buckets of others.
    public let derivedDimensions: [DerivedDimension]
    /// The metrics: what is counted.
    public let metrics: [Metric]
    /// The recipients and what each receives.
    public let recipients: [Recipient]
    /// The plan's word on whether children use the app; nil stands for ``DirectedTo/general``.
    public let directedTo: DirectedTo?
    /// Texts in the plan's languages: by language tag, then by place in the plan, such as
    /// `purposes.product.explanation`. Nil if all texts are in one language.
    public let translations: [String: [String: String]]?
    /// The relay for purposes whose ``Purpose/transport`` is ``PurposeTransport/oblivious``; nil if there is no such purpose.
    public let relay: RelayAddress?
    /// The evaluator of values whose buckets are learned, asked before they are hashed; nil if there is none.
    public let evaluator: Evaluator?

    /// A purpose with the events that may be sent for it.
    public struct Purpose: Codable, Sendable, Hashable {
        /// The purpose's name, which clients send as `purpose`.
        public let name: PurposeName
        /// The explanation of what the numbers are for.
        public let explanation: String
        /// True if the person has to agree first.
        public let needsConsent: Bool
        /// The opt-out signals that refuse it, sorted.
        public let refusedBy: [OptOutSignal]
        /// The lifetime of an identifier; if there are no identifiers, the length of the windows that batches name. Unit: seconds.
        public let rotationSeconds: Int64
        /// The time for which numbers are kept. Unit: seconds.
        public let retentionSeconds: Int64
        /// The fields that a batch's `context` may hold, sorted.
        public let contextFields: [FieldName]
        /// The events that it counts, sorted by name.
        public let events: [Event]
        /// The use of the numbers, if the plan names one.
        public let use: PurposeUse?
        /// True if the consent is a parent's for a child; nil if everybody agrees for themselves.
        public let consentOfParent: Bool?
        /// The version that people are asked about now; nil stands for 1. A person who agreed to an earlier one is asked again.
        public let consentVersion: Int?
        /// The kind of identifier that devices show; nil stands for ``PurposeIdentifier/rotating``.
        public let identifier: PurposeIdentifier?
        /// The devices that its floors count; nil stands for ``FloorKind/any``.
        public let floor: FloorKind?
        /// The way in which it is sent; nil stands for ``PurposeTransport/direct``.
        public let transport: PurposeTransport?
        /// The senders whose batches are taken; nil stands for ``PurposeSenders/anybody``.
        public let senders: PurposeSenders?

        package init(
            name: PurposeName, explanation: String, needsConsent: Bool, refusedBy: [OptOutSignal],
            rotationSeconds: Int64, retentionSeconds: Int64, contextFields: [FieldName], events: [Event],
            use: PurposeUse? = nil, consentOfParent: Bool? = nil, consentVersion: Int? = nil,
            identifier: PurposeIdentifier? = nil, floor: FloorKind? = nil, transport: PurposeTransport? = nil,
            senders: PurposeSenders? = nil
        ) {
            (self.name, self.explanation, self.needsConsent) = (name, explanation, needsConsent)
            (self.refusedBy, self.rotationSeconds) = (refusedBy, rotationSeconds)
            (self.retentionSeconds, self.contextFields, self.events) = (retentionSeconds, contextFields, events)
            (self.use, self.consentOfParent, self.consentVersion) = (use, consentOfParent, consentVersion)
            (self.identifier, self.floor, self.transport, self.senders) = (identifier, floor, transport, senders)
        }
    }

    /// An event with the fields that it may carry.
    public struct Event: Codable, Sendable, Hashable {
        /// The event's name, which clients send as `event`.
        public let name: EventName
        /// The fields that metrics use, sorted.
        public let fields: [FieldName]

        package init(name: EventName, fields: [FieldName]) { (self.name, self.fields) = (name, fields) }
    }

    /// A dimension with all of its buckets.
    public struct Dimension: Codable, Sendable, Hashable {
        /// Its name in metrics.
        public let name: DimensionName
        /// The title that people read.
        public let title: String
        /// The field that is coarsened.
        public let field: FieldName
        /// The rule that makes a bucket of the field; with it a device can do so before anything leaves.
        public let rule: BucketingRule
        /// The buckets: all that is ever kept of the field.
        public let buckets: [BucketLabel]
        /// True if a device is in only one bucket.
        public let partitionsDevices: Bool

        package init(
            name: DimensionName, title: String, field: FieldName, rule: BucketingRule, buckets: [BucketLabel],
            partitionsDevices: Bool
        ) {
            (self.name, self.title, self.field, self.rule) = (name, title, field, rule)
            (self.buckets, self.partitionsDevices) = (buckets, partitionsDevices)
        }
    }

    /// A dimension that is made of the buckets of another.
    public struct DerivedDimension: Codable, Sendable, Hashable {
        /// Its name in insights.
        public let name: DimensionName
        /// The title that people read.
        public let title: String
        /// The dimension that it is made of.
        public let of: DimensionName
        /// Its buckets, each with those that it holds; the rest goes to `other`.
        public let groups: [BucketGroup]
        /// True if a device is in only one bucket.
        public let partitionsDevices: Bool

        package init(
            name: DimensionName, title: String, of: DimensionName, groups: [BucketGroup], partitionsDevices: Bool
        ) {
            (self.name, self.title, self.of) = (name, title, of)
            (self.groups, self.partitionsDevices) = (groups, partitionsDevices)
        }
    }

    /// A partner with what its reports hold.
    public struct Recipient: Codable, Sendable, Hashable {
        /// Its name.
        public let name: PartnerName
        /// The title that people read.
        public let title: String
        /// The partner's contact for questions.
        public let contact: String
        /// The titles of the insights that it receives, in the order of its reports.
        public let insights: [String]

        package init(name: PartnerName, title: String, contact: String, insights: [String]) {
            (self.name, self.title, self.contact, self.insights) = (name, title, contact, insights)
        }
    }

    package init(
        app: AppName, title: String, contact: String, timeZone: String, version: String, threshold: Int64,
        purposes: [Purpose], dimensions: [Dimension], derivedDimensions: [DerivedDimension], metrics: [Metric],
        recipients: [Recipient], directedTo: DirectedTo? = nil, translations: [String: [String: String]]? = nil,
        relay: RelayAddress? = nil, evaluator: Evaluator? = nil
    ) {
        (self.app, self.title, self.contact, self.timeZone, self.version) = (app, title, contact, timeZone, version)
        (self.threshold, self.purposes, self.dimensions) = (threshold, purposes, dimensions)
        (self.derivedDimensions, self.metrics, self.recipients) = (derivedDimensions, metrics, recipients)
        (self.directedTo, self.translations, self.relay, self.evaluator) = (directedTo, translations, relay, evaluator)
    }
}

/// The app's audience in the words of 16 CFR 312.2 (COPPA): whether children use it.
public enum DirectedTo: String, Sendable, Hashable, CaseIterable, Codable {
    /// A general audience.
    case general
    /// Directed to children: everybody is treated as a child.
    case children
    /// A mixed audience: everybody is treated as a child unless the client knows better.
    case mixed
}

/// The use that a purpose's numbers are put to.
public enum PurposeUse: String, Sendable, Hashable, CaseIterable, Codable {
    /// Making the app better.
    case product
    /// Finding out what is slow or broken.
    case performance
    /// Keeping people and the app safe.
    case security
    /// Learning something of general interest.
    case research
    /// Advertising, selling, or winning and keeping customers.
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
    /// The client has not been told that the person is grown up.
    case ageSignal = "age_signal"
}
