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
