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
