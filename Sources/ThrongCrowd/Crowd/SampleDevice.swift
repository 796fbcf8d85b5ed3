internal import Foundation
internal import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// One browser as it described itself, from the sample's `devices.ndjson.gz`.
package struct SampleDevice: Sendable {
    private let values: [FieldName: MadeValue]

    private struct Line: Decodable {
        let user_agent: String?
        let screen_width: Int?
        let screen_height: Int?
        let device_memory_gb: Double?
        let hardware_concurrency: Int64?
    }

    package init(line: some StringProtocol) throws {
        let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        let sides = line.screen_width.flatMap { width in line.screen_height.map { "\(width)x\($0)" } }
        values = [
            "user_agent": line.user_agent.map { .text($0) } ?? .missing,
            "screen": sides.map { .text($0) } ?? .missing,
            "memory_gb": line.device_memory_gb.map { .number($0) } ?? .missing,
            "cores": line.hardware_concurrency.map { .number(Double($0)) } ?? .missing,
        ]
    }

    package static func all(in file: String) throws -> [SampleDevice] {
        try lines(of: file).enumerated().map { place, line in
            do { return try SampleDevice(line: line) } catch { throw CrowdError.malformed(file: file, line: place + 1) }
        }
    }

    static func lines(of file: String) throws -> [String] {
        guard let packed = FileManager.default.contents(atPath: file) else { throw CrowdError.unreadable(file: file) }
        let bytes = try packed.withUnsafeBytes { try Gzip.unpacked($0.bindMemory(to: UInt8.self), limit: 256 << 20) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    package static let fieldNames = ["user_agent", "screen", "memory_gb", "cores"]

    /// The value of a field; missing for one that devices of the sample don't have.
    func value(of field: FieldName) -> MadeValue { values[field] ?? .missing }

    /// The fields that a client would send of it: by the names that the sample's plans use, with their values as JSON.
    package var fields: [(name: String, json: String)] {
        Self.fieldNames.compactMap { name in value(of: FieldName(name)).json.map { (name, $0) } }
    }
}

extension String {
    /// A JSON string; control characters, which have no business in a header, become spaces.
    package var quotedJSON: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<"\u{20}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// One of a crowd: a device, and what its owner does on a day.
package struct Visitor: Sendable {
    /// The fields that it says of itself, missing ones among them.
    let values: [FieldName: MadeValue]
    /// The fields of a batch's context about it: names, and values as JSON.
    package var fields: [(name: String, json: String)] {
        values.sorted { $0.key < $1.key }.compactMap { name, value in value.json.map { (name.text, $0) } }
    }
    let manners: Manners
    /// Its visits on a day, each with its steps in their order.
    let visits: [[Crowd.Step]]
    /// The crowd that is asked whether it agrees; nil for one of the sample's, which agree to all.
    private let crowd: MadeCrowd?

    /// The signals of a device, and the time for which it waits to send.
    struct Manners: Sendable {
        var signals: Set<OptOutSignal> = []
        /// True if it agreed to the version before the plan's.
        var isOutdated = false
        /// The time for which its events wait. Unit: seconds.
        var delay: Int64 = 0
        /// The share of people who agree from which on it is one of them.
        var reluctance = 0.0
    }

    /// Lets a recorded day come as it was, or a shopper of the sample with a device, whose purchases have made-up amounts.
    init(_ day: RecordedDay, on device: SampleDevice?, seed: UInt64, of crowd: MadeCrowd? = nil) {
        var random = SeededGenerator(seed: seed)
        var values = day.values
        for name in SampleDevice.fieldNames where device != nil {
            values[FieldName(name)] = device?.value(of: FieldName(name))
        }
        visits = day.visits.map { steps in
            steps.map { step in
                guard device != nil, step.event == "purchase" else { return step }
                return Crowd.Step(event: step.event, second: step.second, fields: [("amount", Crowd.amount(&random))])
            }
        }
        (self.values, manners, self.crowd) = (values, Manners(reluctance: random.fraction()), crowd)
    }

    init(_ guest: MadeCrowd.MadeDevice, of crowd: MadeCrowd) {
        (values, manners, self.crowd) = (guest.values, guest.manners, crowd)
        visits = crowd.visits(of: guest)
    }

    func agrees(to purpose: Purpose) -> Bool {
        !purpose.needsConsent || crowd?.agrees(manners, to: purpose.name) ?? true
    }

    func context(allowed: Set<String>) -> String {
        fields.filter { allowed.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
    }
}

/// Events of one device on their way into batches: one batch or more for each identifier.
struct Drafts {
    private var places: [Int64: Int] = [:]
    private(set) var all: [(events: [String], sent: UnixSeconds)] = []

    mutating func add(_ event: String, to key: Int64, sent: UnixSeconds) {
        let place = places[key] ?? all.count
        if place == all.count {
            places[key] = place
            all.append(([], sent))
        }
        all[place].events.append(event)
        all[place].sent = max(all[place].sent, sent)
    }
}

/// The knowledge that somebody has of a crowd: lines of `dimension,bucket,share` after a header.
///
/// Buckets without a line divide what is left of 1. Shares that come to more, such as percentages, are in proportion.
/// The same way `devices,EVENT,share` says which share of devices send an event on a day, `events,EVENT,number` how many
/// one of them sends on average, `consent,PURPOSE,share` how many agree, `hours,H,share` when visits begin, in UTC, and
/// `weekdays,Sat,number` how many come on one beside a day of which nothing is said.
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
        case "hours" where Int(name).map { "\($0)" == name && 0..<24 ~= $0 } ?? false: 0...(.greatestFiniteMagnitude)
        case "weekdays" where weekdayNames.contains(name): 0...(.greatestFiniteMagnitude)
        case "consent" where plan.purposes.contains { $0.name.text == name && $0.needsConsent }: 0...1
        default: nil
        }
    }

    /// The shares of a dimension's buckets, 0 to 1, and nil for those of which nothing is said; nil where that is all.
    func shares(of labels: [BucketLabel], in dimension: DimensionName) -> [Double?]? {
        guard let known = shares[dimension.text] else { return nil }
        let sum = max(known.values.reduce(0, +), 1)
        return labels.map { label in known[label.text].map { $0 / sum } }
    }

    /// The share of a day's devices that send an event, of those that may be counted; nil where nothing is said of it.
    func devices(sending event: String) -> Double? { shares["devices"]?[event] }

    /// The number of an event that a device sends on a day on which it sends any.
    func events(_ event: String) -> Double { shares["events"]?[event] ?? 2 }

    /// The weights of the hours of a day at which visits begin: few at night and most in the evening, if nothing is said.
    var hours: [Double] {
        guard let known = shares["hours"], known.values.contains(where: { $0 > 0 }) else {
            return [2, 1, 1, 1, 1, 2, 4, 6, 8, 8, 7, 7, 8, 8, 7, 7, 8, 9, 10, 12, 12, 10, 7, 4]
        }
        return (0..<24).map { known["\($0)"] ?? 0 }
    }

    private static let weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The volumes of weekdays, from Monday on, in proportion.
    var weekdays: [Double] { Self.weekdayNames.map { shares["weekdays"]?[$0] ?? 1 } }

    /// The share of devices that agree to a purpose that asks.
    func consent(to purpose: PurposeName) -> Double? { shares["consent"]?[purpose.text] }
}

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
        isOfDevice = sums.isEmpty && dimensions.contains { $0.partitionsDevices || $0.rule.isOfDevice }
        var weights: [(value: MadeValue, weight: Double)] = []
        for dimension in dimensions {
            for (value, weight) in try Self.weighted(dimension, rules: rules) {
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
        let told = try Self.told(dimensions, shares, entries, weights.map(\.weight))
        heights = told.reduce(into: []) { $0.append(($0.last ?? 0) + max($1, 0)) }
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

    /// Brings weights to what is known of the dimensions that read the field, of one after the other until all of it
    /// holds; buckets of which nothing is said divide what is left.
    ///
    /// Source: Deming and Stephan 1940, iterative proportional fitting.
    private static func told(
        _ dimensions: [ThrongPlan.Dimension], _ shares: CrowdShares, _ entries: [Entry], _ weights: [Double]
    ) throws(BucketingProblem) -> [Double] {
        var weights = weights
        var known: [(buckets: [Int], shares: [Double?])] = []
        for dimension in dimensions {
            guard let shares = shares.shares(of: try dimension.rule.labels(), in: dimension.name) else { continue }
            known.append((entries.map { $0.buckets[dimension.name] ?? 0 }, shares))
        }
        for (buckets, shares) in Array(repeating: known, count: 20).joined() {
            // All buckets of which nothing is said are one: the last.
            let places = buckets.map { shares[$0] == nil ? shares.count : $0 }
            let wanted = shares.map { $0 ?? 0 } + [max(0, 1 - shares.reduce(0) { $0 + ($1 ?? 0) })]
            var sums = [Double](repeating: 0, count: wanted.count)
            for (place, weight) in zip(places, weights) { sums[place] += weight }
            weights = zip(places, weights).map { $1 * wanted[$0] / max(sums[$0], .leastNormalMagnitude) }
        }
        return weights
    }

    private static func weighted(
        _ dimension: ThrongPlan.Dimension, rules: UserAgentRules
    ) throws(BucketingProblem) -> [(MadeValue, Double)] {
        if dimension.isRevealed { return Crowd.hashes.enumerated().map { (.text("\($1)"), 1 / Double($0 + 1)) } }
        let labels = try dimension.rule.labels()
        let values = try dimension.rule.madeValues(rules: rules)
        let own = dimension.rule.shares(of: labels.count)
        return values.enumerated().flatMap { bucket, values in
            let whole = values.indices.reduce(0.0) { $0 + 1 / Double($1 + 1) }
            return values.enumerated().map { place, value -> (MadeValue, Double) in
                // Within a bucket, too, the first comes most often.
                let within = 1 / Double(place + 1) / whole
                if case .text(let agent) = value, dimension.rule.readsUserAgents {
                    return (value, MadeUserAgents.share(of: agent))
                }
                return (value, own[bucket] * within)
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
