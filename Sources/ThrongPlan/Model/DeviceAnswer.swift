/// An answer that a device gives by itself once a period, so that nobody has to recognize the device: the metric's one
/// event, which no app's code records.
package enum DeviceAnswer: Sendable, Hashable {
    /// The calendar weeks 0 to `weeks`, after that of its first event of `of`, in which a device recorded one: an event
    /// for each, with the number in the field `week`.
    case retention(of: [EventName], weeks: Int)
    /// The number of events of `of` in a calendar week with any: an event once it is over, with the number in the field
    /// `events`. `bands` are ascending edges. Unit: events.
    case frequency(of: [EventName], bands: [Int])

    package var events: [EventName] {
        switch self {
        case .retention(let events, _), .frequency(let events, _): events
        }
    }

    package var field: FieldName {
        switch self {
        case .retention: FieldName("week")
        case .frequency: FieldName("events")
        }
    }

    package var rule: BucketingRule {
        switch self {
        case .retention(_, let weeks):
            .list((0...weeks).map { BucketGroup(label: BucketLabel("\($0)"), values: ["\($0)"]) })
        case .frequency(_, let bands):
            .bands(edges: bands.map(Double.init))
        }
    }

    package var word: String {
        switch self {
        case .retention: "retention"
        case .frequency: "frequency"
        }
    }
}
