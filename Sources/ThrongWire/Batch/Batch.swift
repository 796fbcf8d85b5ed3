/// A batch of events as a client sends it: the body of `POST /v1/batches`.
///
/// The daemon does not decode into this type; it reads the bytes in place (`ThrongIngest`).
public struct Batch: Sendable, Hashable, Codable {
    /// The version of the protocol: the `1` of `/v1/batches` and all other addresses of clients.
    package static let protocolVersion = 1

    /// The app's name in its plan.
    public var app: String
    /// 32 hexadecimal digits, random; the same for every retry.
    public var batch: String
    /// The purpose's name in the plan.
    public var purpose: String
    /// floor(unix time / the purpose's rotation) when the batch is sent; if there are no identifiers,
    /// ``Rotation/batches`` takes the rotation's place.
    public var window: Int64
    /// The identifier for this purpose and window: 1 to 64 characters; nil where the purpose has none.
    public var id: String?
    /// Fields that all events share.
    public var context: [String: Scalar]
    /// The events of the batch.
    public var events: [Event]
    /// The version of the purpose that the person agreed to; 1 if absent.
    public var consentVersion: Int?
    /// The client's app key; nil if it has none.
    public var key: String?
    /// The proof of ``id``, where the purpose's floors count proved devices; nil if there is none, or ``id`` was proved before.
    public var proof: String?
    /// True if the batch is a test's, so that nothing of it counts; nil for any other.
    public var test: Bool?

    private enum CodingKeys: String, CodingKey {
        case app, batch, purpose, window, id, context, events, key, proof, test
        case consentVersion = "consent_version"
    }

    /// One thing that happened.
    public struct Event: Sendable, Hashable, Codable {
        /// The event's name in the plan.
        public var event: String
        /// RFC 3339, such as `2026-11-21T10:02:11Z`.
        public var at: String
        /// Fields of this event alone.
        public var fields: [String: Scalar]?
        /// The number of times that it happened; 1 if absent.
        public var count: Int?
        /// The groupings for which this is the device's first contribution in a period: by metric, then by period, the
        /// entries of the plan's `first_groupings`, each as its list of dimensions.
        public var firsts: [String: [String: [[String]]]]?

        /// Creates an event with its name, time, fields, count and firsts.
        public init(
            event: String, at: String, fields: [String: Scalar]? = nil, count: Int? = nil,
            firsts: [String: [String: [[String]]]]? = nil
        ) { (self.event, self.at, self.fields, self.count, self.firsts) = (event, at, fields, count, firsts) }
    }

    /// A field's value.
    public enum Scalar: Sendable, Hashable, Codable {
        case text(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case null

        /// Reads a JSON scalar.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // A value that is not of one type may be of the next; the last one throws.
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let integer = try? container.decode(Int64.self) {
                self = .integer(integer)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        /// Writes a JSON scalar.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .integer(let integer): try container.encode(integer)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            case .null: try container.encodeNil()
            }
        }
    }

    /// Creates a batch of events with the fields that they share; draws a random name unless one is given.
    public init(
        app: String, batch: BatchID = .random(), purpose: String, window: Int64, id: String?,
        context: [String: Scalar] = [:], events: [Event], consentVersion: Int? = nil, key: String? = nil,
        proof: String? = nil, isTest: Bool = false
    ) {
        self.app = app
        self.batch = batch.description
        (self.purpose, self.window, self.id, self.context, self.events) = (purpose, window, id, context, events)
        (self.consentVersion, self.key, self.proof) = (consentVersion, key, proof)
        test = isTest ? true : nil
    }
}

/// A device's request to take back what one of its identifiers added: the body of `POST /v1/withdraw`.
public struct WithdrawRequest: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: String
    /// The purpose's name in the plan.
    public let purpose: String
    /// The window in which the identifier was sent.
    public let window: Int64
    /// The identifier.
    public let id: String

    /// Creates a request with the app, the purpose, the window and the identifier.
    public init(app: String, purpose: String, window: Int64, id: String) {
        (self.app, self.purpose, self.window, self.id) = (app, purpose, window, id)
    }
}

/// A device's statement that it is in a cell of a metric in a period, made once: the body of `POST /v1/firsts`.
///
/// The daemon reads the bytes in place (`ThrongIngest`).
public struct ProvedFirst: Sendable, Hashable, Codable {
    /// The app's name in its plan.
    public let app: AppName
    /// The metric's name in the plan.
    public let metric: MetricName
    /// The period's length.
    public let period: PeriodKind
    /// The period's first second.
    public let start: UnixSeconds
    /// A bucket for each dimension of a grouping of the public plan's `proved_firsts`, and for each of its `partition`.
    public let cell: [DimensionName: BucketLabel]
    /// The presentation of a credential in the context of the cell: 390 characters of base64url.
    public let proof: String

    package init(app: AppName, metric: MetricName, period: Period, cell: [DimensionName: BucketLabel], proof: String) {
        (self.app, self.metric, self.period) = (app, metric, period.kind)
        start = period.start
        self.cell = cell
        self.proof = proof
    }

    private enum CodingKeys: String, CodingKey { case app, metric, period, start, cell, proof }

    /// Writes names as the members of an object, not as a list.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(app, forKey: .app)
        try members.encode(metric, forKey: .metric)
        try members.encode(period, forKey: .period)
        try members.encode(start, forKey: .start)
        try members.encode(Dictionary(uniqueKeysWithValues: cell.map { ($0.text, $1.text) }), forKey: .cell)
        try members.encode(proof, forKey: .proof)
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        app = try members.decode(AppName.self, forKey: .app)
        metric = try members.decode(MetricName.self, forKey: .metric)
        period = try members.decode(PeriodKind.self, forKey: .period)
        start = try members.decode(UnixSeconds.self, forKey: .start)
        let cell = try members.decode([String: String].self, forKey: .cell)
        self.cell = Dictionary(uniqueKeysWithValues: cell.map { (DimensionName($0), BucketLabel($1)) })
        proof = try members.decode(String.self, forKey: .proof)
    }
}

/// The daemon's answer to a batch, given once the batch's deltas are on disk.
public struct BatchAnswer: Sendable, Hashable, Codable {
    /// Events that changed a counter.
    public let accepted: Int
    /// Events that did not change a counter, in their order.
    public let refused: [Refusal]
    /// Hashes of this batch whose values enough devices have sent; nil if there are none. A repeated batch's answer leaves them out.
    public let reveal: [RevealRequest]?
    /// The number of further events that changed no counter, whose places and reasons the daemon no longer knows; nil
    /// for none. Only the answer to a repeated batch has it, when too many refusals came in between to remember them all.
    public let unlisted: Int?
    /// The number of events that the plan takes of a batch that said that it was a test's: they changed no counter. Nil for
    /// any other batch.
    public let test: Int?

    /// One event that changed no counter.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// The reason.
        public let reason: RefusalReason
        /// The reason's place; nil if the whole event is the reason, and for all but a batch's first few refusals.
        public let detail: RefusalDetail?

        /// Creates a refusal with the event's index, the reason and its place.
        public init(index: Int, reason: RefusalReason, detail: RefusalDetail? = nil) {
            (self.index, self.reason, self.detail) = (index, reason, detail)
        }
    }

    /// Creates an answer with the number of accepted events and what the daemon says of the others.
    public init(
        accepted: Int, refused: [Refusal], reveal: [RevealRequest]? = nil, unlisted: Int? = nil, test: Int? = nil
    ) {
        (self.accepted, self.refused, self.reveal) = (accepted, refused, reveal)
        (self.unlisted, self.test) = (unlisted, test)
    }
}

/// The answer to `POST /v1/preview`: what a batch would add. A preview counts nothing and keeps nothing.
public struct PreviewAnswer: Sendable, Hashable, Codable {
    /// The batch's events, in their order.
    public let events: [Event]

    /// The outcome that one event would have.
    public struct Event: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// The tuples that it would add, one for each metric; empty if it is refused.
        public let counted: [Tuple]
        /// The reason why it would change no counter; nil if it would change one.
        public let refused: RefusalReason?
        /// The reason's place; nil if the whole event is the reason, and for all but a batch's first few refusals.
        public let detail: RefusalDetail?

        /// Creates an event's outcome with its index, tuples and refusal.
        public init(index: Int, counted: [Tuple], refused: RefusalReason?, detail: RefusalDetail? = nil) {
            (self.index, self.counted, self.refused, self.detail) = (index, counted, refused, detail)
        }
    }

    /// All that would remain of an event in one metric.
    public struct Tuple: Sendable, Hashable, Codable {
        /// The metric's name in the plan.
        public let metric: String
        /// The buckets, by name of their dimension.
        public let buckets: [String: String]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// The number of times that it would be counted, within the contribution bound.
        public let count: Int64
        /// The amounts that would be added, by name of the sum. Unit: the field's.
        public let sums: [String: Double]

        /// Creates a tuple with its metric, buckets, period, count and sums.
        public init(metric: String, buckets: [String: String], period: String, count: Int64, sums: [String: Double]) {
            (self.metric, self.buckets, self.period, self.count, self.sums) = (metric, buckets, period, count, sums)
        }
    }

    /// Creates an answer with the outcomes of a batch's events.
    public init(events: [Event]) { self.events = events }
}

/// The reason why an event was not counted. A closed list: clients may rely on it, and metric labels are made of it.
public enum RefusalReason: String, Sendable, Hashable, CaseIterable, Codable {
    /// No metric of the purpose counts an event of that name.
    case unknownEvent = "unknown_event"
    /// The event, or the batch's context, has a field that no metric uses.
    case unknownField = "unknown_field"
    /// A field that is summed is missing or no number, a field is a list or an object, or the element is no event at all.
    case invalidValue = "invalid_value"
    /// `at` is more than 48 hours ago.
    case tooOld = "too_old"
    /// `at` is more than 5 minutes ahead.
    case inTheFuture = "in_the_future"
    /// Every metric that counts the event has expired.
    case metricExpired = "metric_expired"
    /// The identifier has added all that it may add in this window.
    case contributionBound = "contribution_bound"
    /// The identifier was seen in another bucket of a dimension that partitions devices, in this window.
    case partitionConflict = "partition_conflict"
    /// Its buckets are a combination that the plan declares to be impossible.
    case impossibleCombination = "impossible_combination"
    /// The request carries an opt-out signal that the purpose honours.
    case optedOut = "opted_out"
    /// The person agreed to an earlier version of the purpose than the plan's.
    case consentOutdated = "consent_outdated"

    /// A stable number for the journal.
    public var code: UInt8 {
        switch self {
        case .unknownEvent: 1
        case .unknownField: 2
        case .invalidValue: 3
        case .tooOld: 4
        case .inTheFuture: 5
        case .metricExpired: 6
        case .contributionBound: 7
        case .partitionConflict: 8
        case .optedOut: 9
        case .impossibleCombination: 10
        case .consentOutdated: 11
        }
    }

    /// Finds the reason with that number; nil for a number that this version does not know.
    public init?(code: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}

/// The place in a batch where the reason for a refusal is. It holds positions and the plan's own words, nothing that a client sent.
public struct RefusalDetail: Sendable, Hashable, Codable {
    /// A JSON pointer (RFC 6901) to an event, its name, `at`, `count`, `firsts`, or the object that holds its fields.
    public let pointer: String
    /// The index of the member in that object, from 0 in the order of the text; nil if the place is not a member.
    public let member: Int?
    /// The field, where the plan knows it.
    public let field: String?
    /// The name of the plan that was likely meant.
    public let nearest: String?
    /// The shape that was expected there, where it does not depend on the plan: a few words without quotation marks.
    public let expected: String?
    /// The shape that was found instead, such as `text with a comma`; no answer says it.
    package let found: String?

    /// Creates a detail with its pointer, member, field, nearest name, expected shape and found shape.
    public init(
        pointer: String, member: Int? = nil, field: String? = nil, nearest: String? = nil, expected: String? = nil,
        found: String? = nil
    ) {
        (self.pointer, self.member, self.field) = (pointer, member, field)
        (self.nearest, self.expected, self.found) = (nearest, expected, found)
    }
}
