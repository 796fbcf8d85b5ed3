internal import Foundation
package import ThrongPlan

/// The knowledge that somebody has of a crowd: lines of `dimension,bucket,share` after a header.
///
/// Buckets without a line keep what they would have had. Shares are in proportion to each other; they need not add up.
/// The same way `devices,EVENT,share` says which share of devices send an event on a day, `events,EVENT,number` how many
/// one of them sends on average, and `consent,PURPOSE,share` how many agree.
package struct CrowdShares: Sendable {
    private var shares: [String: [String: Double]] = [:]

    package init() {}

    package init(file: String, for plan: Plan) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw CrowdError.unreadable(file: file) }
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (place, line) in lines.enumerated().dropFirst() where !line.allSatisfy(\.isWhitespace) {
            let parts = line.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 3, let share = Double(parts[2]), share.isFinite,
                try Self.range(of: parts[0], parts[1], in: plan)?.contains(share) == true
            else { throw CrowdError.malformedShare(file: file, line: place + 1) }
            shares[parts[0], default: [:]][parts[1]] = share
        }
    }

    /// The range of what may be said of something; nil where the plan has nothing of the kind.
    private static func range(of kind: String, _ name: String, in plan: Plan) throws -> ClosedRange<Double>? {
        if let dimension = plan.dimension(DimensionName(kind)) {
            return try dimension.rule.labels().contains(BucketLabel(name)) ? 0...(.greatestFiniteMagnitude) : nil
        }
        let isEvent = plan.metrics.contains { $0.events.contains { $0.text == name } }
        return switch kind {
        case "devices" where isEvent: 0...1
        case "events" where isEvent: 1...100_000
        case "consent" where plan.purposes.contains { $0.name.text == name && $0.needsConsent }: 0...1
        default: nil
        }
    }

    /// The share of a bucket among those that are known of its dimension, 0 to 1; nil where nothing is said of it.
    func share(of label: BucketLabel, in dimension: DimensionName) -> Double? {
        guard let known = shares[dimension.text], let share = known[label.text] else { return nil }
        return share / max(known.values.reduce(0, +), .leastNormalMagnitude)
    }

    /// The share of a day's devices that send an event, of those that may be counted; nil where nothing is said of it.
    func devices(sending event: String) -> Double? { shares["devices"]?[event] }

    /// The number of an event that a device sends on a day on which it sends any.
    func events(_ event: String) -> Double { shares["events"]?[event] ?? 2 }

    /// The share of devices that agree to a purpose that asks.
    func consent(to purpose: PurposeName) -> Double? { shares["consent"]?[purpose.text] }
}
