internal import Foundation
package import ThrongPlan
internal import ThrongSystem
internal import ThrongWire

/// The values of one field that a made-up crowd has, each with how often it comes: a few make most of it, and every
/// bucket of every dimension that reads the field has some.
struct FieldTable: Sendable {
    struct Entry: Sendable {
        let value: MadeValue
        let json: String?
        /// The buckets that it lands in, by the dimensions that read the field.
        let buckets: [DimensionName: Int]
    }

    let name: FieldName
    /// The same as JSON, such as `"genre":`.
    let key: String
    let entries: [Entry]
    /// True if it says what a device is, and so never changes from one of its events to the next.
    let isOfDevice: Bool
    /// The running sums of the entries' weights.
    private let heights: [Double]

    /// Makes a field's values; one that is added up is a number, and never missing.
    init(
        _ name: FieldName, _ dimensions: [ThrongPlan.Dimension], sums: [SumMeasure], shares: CrowdShares,
        rules: UserAgentRules
    ) throws(BucketingProblem) {
        self.name = name
        key = "\"\(name)\":"
        isOfDevice = sums.isEmpty && dimensions.contains { $0.partitionsDevices || $0.rule.isOfDevice }
        var weights: [(value: MadeValue, weight: Double)] = []
        for dimension in dimensions {
            for (value, weight) in try Self.weighted(dimension, shares: shares, rules: rules) {
                guard let value = sums.isEmpty ? value : value.asNumber else { continue }
                if let place = weights.firstIndex(where: { $0.value == value }) {
                    weights[place].weight = max(weights[place].weight, weight)
                } else {
                    weights.append((value, weight))
                }
            }
        }
        if weights.isEmpty { weights = sums.first.map(Self.amounts) ?? [(.missing, 1)] }
        var bucketings: [(DimensionName, any Bucketing)] = []
        for dimension in dimensions { bucketings.append((dimension.name, try dimension.rule.compiled(rules: rules))) }
        entries = weights.map { value, _ in
            Entry(
                value: value, json: value.json,
                buckets: Dictionary(bucketings.map { ($0.0, value.bucket(by: $0.1)) }) { first, _ in first })
        }
        heights = weights.reduce(into: []) { $0.append(($0.last ?? 0) + max($1.weight, 0)) }
    }

    /// Draws a value's place among the entries.
    func draw(using random: inout SeededGenerator) -> Int {
        guard let top = heights.last, top > 0 else { return 0 }
        let height = random.fraction() * top
        return heights.dropLast().partitioningIndex { $0 > height }
    }

    /// Draws a value among those in a bucket; nil if none is.
    func draw(_ bucket: Int, of dimension: DimensionName, using random: inout SeededGenerator) -> Int? {
        entries.indices.filter { entries[$0].buckets[dimension] == bucket }.randomElement(using: &random)
    }

    // MARK: Weights

    private static func weighted(
        _ dimension: ThrongPlan.Dimension, shares: CrowdShares, rules: UserAgentRules
    ) throws(BucketingProblem) -> [(MadeValue, Double)] {
        if dimension.isRevealed { return Crowd.hashes.enumerated().map { (.text("\($1)"), 1 / Double($0 + 1)) } }
        let labels = try dimension.rule.labels()
        let values = try dimension.rule.madeValues(rules: rules)
        let own = dimension.rule.shares(of: labels.count)
        return values.enumerated().flatMap { bucket, values in
            let known = shares.share(of: labels[bucket], in: dimension.name)
            let whole = values.indices.reduce(0.0) { $0 + 1 / Double($1 + 1) }
            return values.enumerated().map { place, value -> (MadeValue, Double) in
                // Within a bucket, too, the first comes most often.
                let within = 1 / Double(place + 1) / whole
                if known == nil, case .text(let agent) = value, dimension.rule.readsUserAgents {
                    return (value, MadeUserAgents.share(of: agent))
                }
                return (value, (known ?? own[bucket]) * within)
            }
        }
    }

    /// Amounts over a sum's bounds, most of them small.
    private static func amounts(of sum: SumMeasure) -> [(value: MadeValue, weight: Double)] {
        (0..<32).map { place in
            let share = (Double(place) + 0.5) / 32
            let amount = sum.lowest + (sum.highest - sum.lowest) * share * share * share
            let kept = (amount * sum.scale).rounded() / sum.scale
            return (.number(kept), 1)
        }
    }
}

extension Crowd {
    /// Hashes that stand for values that nobody lists; what they are made of does not matter to who counts them.
    package static let hashes = (0..<64).map { (place: UInt64) in
        RevealedHash(authenticationCode: (0..<16).map { UInt8(truncatingIfNeeded: place &* 0x9E37 &+ $0) })
    }
}

extension BucketingRule {
    /// True if the rule reads what a device is, rather than what it does.
    var isOfDevice: Bool {
        switch self {
        case .version, .screen, .browser, .operatingSystem, .deviceClass, .language, .utcOffset, .region: true
        case .list, .bands, .significantFigures, .powers, .time, .host, .route, .fileType, .revealed: false
        }
    }

    var readsUserAgents: Bool {
        switch self {
        case .browser, .operatingSystem, .deviceClass: true
        default: false
        }
    }

    /// Returns the share of each bucket, `other` last: of names the first of r is as frequent as the r-th's r-fold
    /// (Zipf 1949), of numbers the middle is, a little below the middle of the bands.
    func shares(of count: Int) -> [Double] {
        let named = max(count - 1, 1)
        let peak = Double(named - 1) * 0.4
        let weights = (0..<named).map { bucket -> Double in
            switch self {
            case .bands, .significantFigures, .powers, .screen: 1 / (1 + abs(Double(bucket) - peak))
            default: 1 / Double(bucket + 1)
            }
        }
        let sum = weights.reduce(0, +)
        let other = 0.04
        return weights.map { $0 / sum * (1 - other) } + (count > 1 ? [other] : [])
    }
}
