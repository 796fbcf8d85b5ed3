/// Why an event was not sent, or not counted. A closed list.
public enum DropReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no plan yet, or was none when the app ended.
    case noPlan
    /// The plan has no such event, or only devices themselves may say it.
    case unknownEvent
    /// The plan has no use for one of its fields.
    case unknownField
    /// A field that is summed is missing or no number.
    case invalidValue
    /// No label says what several dimensions make of one field.
    case ambiguousField
    /// Its buckets can't occur together, as the plan says.
    case impossibleCombination
    /// Every metric that counts it has expired.
    case metricExpired
    /// No purpose that it would be counted for is allowed.
    case notAllowed
    /// It was not among the share that the plan asks for.
    case notSampled
    /// The device has added all that it may add in this window.
    case contributionBound
    /// The queue was full, and it was the oldest; or too much was recorded at once.
    case queueFull
    /// It waited too long for a connection.
    case tooOld
    /// Its batch got no answer as long as the daemon would have known it again; it may have been counted.
    case unanswered
    /// The daemon refused it.
    case refused
    /// Its purpose was withdrawn before it was sent.
    case withdrawn
}
