internal import ThrongWire

/// A first to prove: the device was in a cell in a period. `POST /v1/firsts` takes it once nothing of its event can be
/// taken back any more, at a time that is drawn.
struct PendingFirst: Codable, Sendable {
    let purpose: String
    let metric: String
    let kind: PeriodKind
    /// The period's first second.
    let start: UnixSeconds
    /// The bucket of each dimension, by the dimension's name.
    let cell: [String: String]
    /// The mark by which the device knows that it said so.
    let mark: FirstsMemory.Contribution
    /// The earliest time at which it goes.
    var due: UnixSeconds
    /// True if its event was shown sealed, and so it goes in no other way.
    let isSealed: Bool

    /// The longest that a first waits once its event's window is over. Unit: seconds.
    private static let spread: Int64 = 3600

    /// Returns the time at which a first of a window goes.
    static func due(after place: RotationWindow, random: inout RandomSource) -> UnixSeconds {
        let over = place.rotation.start(of: WindowNumber(place.window + 2))
        return over + Int64.random(in: 0..<min(spread, place.rotation.seconds), using: &random)
    }
}

extension DeviceMemory {
    /// Returns the firsts of an event, among those that the device proves.
    ///
    /// - Parameter marked: the marks of firsts of the batch so far; those of this event are added.
    mutating func pendingFirsts(
        of event: QueuedEvent, in metrics: [DevicePlan.Metric], for purpose: DevicePlan.Purpose, window: Int64,
        calendar: PeriodCalendar, at instant: UnixSeconds, marked: inout Set<UInt64>, random: inout RandomSource
    ) -> [PendingFirst] {
        var found: [PendingFirst] = []
        for metric in metrics {
            guard let proved = metric.proved else { continue }
            let buckets = metric.buckets(event: event.event, fields: event.fields, at: instant)
            for kind in proved.periods {
                let period = calendar.period(kind, containing: instant)
                for grouping in proved.groupings {
                    let mark = FirstsMemory.contribution(
                        of: buckets, to: grouping, of: metric, in: period, secret: key, kind: "proved")
                    guard !firsts.holds(mark), marked.insert(mark.key).inserted else { continue }
                    let cell = (grouping + proved.partition).map { ($0.name, $0.labels[buckets[$0.dimension]].text) }
                    found.append(
                        PendingFirst(
                            purpose: purpose.name, metric: metric.name, kind: kind, start: period.start,
                            cell: Dictionary(cell) { first, _ in first }, mark: mark,
                            due: PendingFirst.due(
                                after: RotationWindow(window: window, rotation: purpose.rotation), random: &random),
                            isSealed: purpose.isOblivious))
                }
            }
        }
        return found
    }

    /// Notes that firsts are to be proved: their event was counted.
    mutating func pend(_ new: [PendingFirst]) {
        for first in new where !firsts.holds(first.mark) {
            firsts.add([first.mark])
            pendingFirsts.append(first)
        }
    }
}
