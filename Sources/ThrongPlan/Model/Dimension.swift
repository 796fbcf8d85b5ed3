/// One way to split a metric: a field of the event and the bucketing that coarsens it.
package struct Dimension: Sendable, Hashable {
    /// The name, used as a column name in the analyst's tables.
    package let name: DimensionName
    package internal(set) var title: String
    /// The field that is coarsened; ``FieldName/time`` is the event's own time.
    package let field: FieldName
    package let rule: BucketingRule
    /// True if a device can be in only one bucket within a window: it says what a device is, not what it does.
    package let partitionsDevices: Bool
    /// The plan's own words for buckets; the others are told by the rule.
    package internal(set) var titles: [BucketLabel: String] = [:]

    /// True if the buckets are learned while counting goes on, instead of being listed in the plan.
    package var isRevealed: Bool { if case .revealed = rule { true } else { false } }
}

/// A coarser way to split a metric, made of the buckets of another dimension. Nothing is counted by it: its numbers are
/// sums of the finer ones.
package struct DerivedDimension: Sendable, Hashable {
    /// The name, used as a column name in the analyst's tables.
    package let name: DimensionName
    package internal(set) var title: String
    /// The dimension whose buckets it is made of.
    package let base: DimensionName
    /// The buckets besides `other`, each with the base's buckets that it holds.
    package let groups: [BucketGroup]
    /// True if a device can be in only one bucket within a window, as the base says.
    package let partitionsDevices: Bool
    /// The plan's own words for buckets; the others are told by their names.
    package internal(set) var titles: [BucketLabel: String] = [:]

    /// The buckets in order; the last is `other`, which takes everything that no group names.
    package var labels: [BucketLabel] { groups.map(\.label) + [.other] }

    /// Returns, for each bucket of the base, the bucket that holds it, as an index into ``labels``.
    package func buckets(of base: [BucketLabel]) -> [Int] {
        base.map { label in groups.firstIndex { $0.values.contains { BucketLabel($0) == label } } ?? groups.count }
    }
}

/// The origin of a base dimension: a field of events, and the rule that coarsens it, of which a layout holds only the
/// fingerprint.
package struct DimensionOrigin: Sendable, Hashable, Codable {
    package let field: FieldName
    package let rule: BucketingRule

    /// Returns the events that each bucket holds; nil if the dimension does not tell events apart by their names.
    package func kinds(of events: Set<EventName>) -> [Set<EventName>]? {
        // Every plan's rules compiled when it was read; one that does not any more tells nothing apart.
        guard field == .event, let bucketing = try? rule.bucketingByLabel else { return nil }
        var kinds = bucketing.labels.map { _ in Set<EventName>() }
        for event in events { kinds[event.text.withFieldValue { bucketing.bucket($0) }].insert(event) }
        return kinds
    }
}

/// The origins of a layout's base dimensions under each known plan; none for a dimension whose origin nobody kept.
package typealias DimensionOrigins = [DimensionName: Set<DimensionOrigin>]

extension Plan {
    /// Returns the dimensions by which people are told buckets: those of a metric's cube before the plan's. One that is made of
    /// another stands as a list of its groups.
    package func tellingDimensions(of metric: Metric? = nil) -> [DimensionName: Dimension] {
        let made = derivedDimensions.map {
            Dimension(
                name: $0.name, title: $0.title, field: .event, rule: .list($0.groups),
                partitionsDevices: $0.partitionsDevices, titles: $0.titles)
        }
        let all = (metric.map { cubeDimensions(of: $0) } ?? []) + dimensions + made
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the origins of a metric's base dimensions; none for those that the daemon fills or learns.
    package func origins(of metric: Metric) -> [DimensionName: DimensionOrigin] {
        var origins: [DimensionName: DimensionOrigin] = [:]
        for dimension in cubeDimensions(of: metric)
        where dimension.name != metric.within?.name && !dimension.isRevealed {
            origins[dimension.name] = DimensionOrigin(field: dimension.field, rule: dimension.rule)
        }
        return origins
    }
}

/// Buckets in words. What the plan's author named is told by the plan's titles, or stays; what Throng names is said as the
/// reader's language does.
extension Language {
    /// A bucket of a dimension: "under 10" of bands, "Monday" of weekdays, "other"; a label that its rule does not make stays
    /// what it is. Files keep the buckets' names.
    ///
    /// - Parameters:
    ///   - dimension: nil where nobody knows it.
    ///   - unit: of the values in bands.
    package func words(for bucket: BucketLabel, by dimension: Dimension?, unit: String = "") -> String {
        let text = bucket.text
        if bucket == .other { return say(.otherBucket) }
        if let title = dimension?.titles[bucket] { return title }
        switch dimension?.rule {
        case .bands, .powers: return band(text, unit: unit) ?? text
        case .significantFigures: return written(text)
        case .screen, .deviceClass, .fileType: return say(.bucketName, ["bucket": text])
        case .language: return name(of: text)
        case .region: return Self.regions[text].map(name) ?? text
        case .time(let part, _): return time(text, part)
        case .utcOffset:
            let ends = digits(text.replacing("-", with: "\u{2212}")).split(separator: "..").map(String.init)
            return ends.count == 2 ? span(ends[0], ends[1]) : ends.joined()
        case .list, .version, .browser, .operatingSystem, .host, .route, .revealed, nil: return text
        }
    }

    /// A band as plans name it, "10-20", "from -10 to 0", "<10" or ">=20", in words; nil for a text that is none.
    package func band(_ label: String, unit: String = "") -> String? {
        Self.ends(of: label).map { band(from: $0.low.map(written), to: $0.high.map(written), unit: unit) }
    }

    /// A band of how often something was done: "once", "2 to 4 times", "5 times or more".
    ///
    /// - Parameter endsBefore: whether a band ends before its second number, as bands of a field do, and not with it.
    package func times(_ label: String, endsBefore: Bool) -> String {
        if label == "<1" { return say(.never) }
        let ends = Self.ends(of: label) ?? (label, label)
        guard let low = ends.low.flatMap({ UInt32($0) }) else { return words(for: BucketLabel(label), by: nil) }
        guard let high = ends.high.flatMap({ UInt32($0) }) else { return say(.timesOrMore, ["count": Int64(low)]) }
        let last = Int64(high) - (endsBefore && low < high ? 1 : 0)
        return last == low
            ? say(.times, ["count": last]) : say(.timesBetween, ["low": written("\(low)"), "count": last])
    }

    /// The numbers between which a band lies, nil where it is open; nil for a text that is no band.
    private static func ends(of label: String) -> (low: String?, high: String?)? {
        func ends(_ low: Substring?, _ high: Substring?) -> (low: String?, high: String?)? {
            let isBand = [low, high].compactMap(\.self).allSatisfy { Double($0) != nil }
            return isBand ? (low.map(String.init), high.map(String.init)) : nil
        }
        if label.hasPrefix("<") { return ends(nil, label.dropFirst()) }
        if label.hasPrefix(">=") { return ends(label.dropFirst(2), nil) }
        let parts = label.hasPrefix("from ") ? label.dropFirst(5).split(separator: " to ") : label.split(separator: "-")
        return parts.count == 2 ? ends(parts[0], parts[1]) : nil
    }

    /// A band between numbers as they are written, open where one is nil: "under 20", "20 to 50 EUR", "200 or more".
    package func band(from low: String?, to high: String?, unit: String = "") -> String {
        func amount(_ number: String) -> String {
            unit.isEmpty ? number : say(.amount, ["number": number, "unit": unit])
        }
        return span(high == nil ? low.map(amount) : low, high.map(amount), .band)
    }

    /// Says a message about a span whose ends may be open: it chooses by `ends`.
    package func span(_ low: String?, _ high: String?, _ message: Message = .span, finding: String = "") -> String {
        let ends = low == nil ? high == nil ? "none" : "high" : high == nil ? "low" : "both"
        return say(message, ["ends": ends, "low": low ?? "", "high": high ?? "", "finding": finding])
    }

    /// The regions of UN M49 that plans have by a word, by their codes there.
    private static let regions = [
        "Africa": "_002", "Americas": "_019", "Asia": "_142", "Europe": "_150", "Oceania": "_009",
    ]

    private func time(_ text: String, _ part: BucketingRule.TimePart) -> String {
        switch part {
        case .hour: return digits("\(text):00")
        case .day: return Int(text).map { written("\($0)") } ?? text
        case .week: return Int(text.dropFirst()).map { say(.weekShort, ["week": written("\($0)")]) } ?? text
        case .weekday:
            guard let place = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].firstIndex(of: text) else {
                return text
            }
            // The fifth of January 1970 was a Monday.
            return date("cccc", CalendarDate(daysSince1970: Int64(4 + place)))
        }
    }
}
