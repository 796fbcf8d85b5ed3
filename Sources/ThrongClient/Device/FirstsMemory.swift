internal import Crypto
internal import Foundation
internal import ThrongWire

/// The buckets that the device has contributed to in a period, as keyed hashes that go later.
struct FirstsMemory: Codable, Sendable {
    /// A tuple of one grouping of a metric in one period.
    struct Contribution: Codable, Sendable, Hashable {
        /// 64 bits of an HMAC over all of it.
        let key: UInt64
        /// The instant from which it may be forgotten.
        let until: UnixSeconds
    }

    private var known: [UInt64: UnixSeconds] = [:]

    /// The time kept after a period: 48 hours for late events, a day for calendars. Unit: seconds.
    private static let grace: Int64 = 4 * 86_400

    func holds(_ contribution: Contribution) -> Bool { known[contribution.key] != nil }

    mutating func add(_ contributions: [Contribution]) {
        for contribution in contributions { known[contribution.key] = contribution.until }
    }

    mutating func forget(_ contributions: [Contribution]) {
        for contribution in contributions { known[contribution.key] = nil }
    }

    mutating func forget(before now: UnixSeconds) {
        if known.contains(where: { $0.value < now }) { known = known.filter { $0.value >= now } }
    }

    /// - Parameter kind: what is said once of it: a first, or a first that is proved.
    static func contribution(
        of buckets: [Int], to grouping: [DevicePlan.Metric.Part], of metric: DevicePlan.Metric, in period: Period,
        secret: SymmetricKey, kind: String = "first"
    ) -> Contribution {
        // Labels, not places: a newer plan may list a dimension's buckets in another order.
        let tuple = grouping.map { part in
            let dimension = metric.dimensions[part.dimension]
            return
                "\(dimension.name)=\(dimension.bucketing.labels[buckets[part.dimension]]) \(part.shown[buckets[part.dimension]])"
        }
        let text =
            ([kind, metric.name, period.kind.rawValue, period.start.description] + tuple).joined(separator: "\u{1f}")
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret)
        return Contribution(key: code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, until: period.end + grace)
    }
}

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
