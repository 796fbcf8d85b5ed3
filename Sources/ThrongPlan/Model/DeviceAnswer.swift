/// An answer that a device works out by itself and gives once a period, so that nobody has to recognize the device.
///
/// The SDK sends the metric's one event; no app's code records it. Its field is coarsened like any other.
package enum DeviceAnswer: Sendable, Hashable {
    /// The calendar weeks, after the one of its first such event, in which a device came back. It sends an event for
    /// each week n from 0 to `weeks` in which it recorded one of `of`, with the first of these, and n in the field
    /// `week`.
    case retention(of: [EventName], weeks: Int)
    /// The number of events of `of` that a device recorded in a calendar week. It sends an event for each week with one
    /// or more, once the week is over, with their number in the field `events`.
    ///
    /// `bands` are ascending edges. Unit: events.
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
