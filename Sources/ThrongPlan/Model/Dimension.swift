package import ThrongWire

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
}

/// The origins of a layout's base dimensions under each known plan; none for a dimension whose origin nobody kept.
package typealias DimensionOrigins = [DimensionName: Set<DimensionOrigin>]

extension Plan {
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

extension DimensionOrigin {
    /// Returns the events that each bucket holds; nil if the dimension does not tell events apart by their names.
    package func kinds(of events: Set<EventName>) -> [Set<EventName>]? {
        // Every plan's rules compiled when it was read; one that does not any more tells nothing apart.
        guard field == .event, let bucketing = try? rule.bucketingByLabel else { return nil }
        var kinds = bucketing.labels.map { _ in Set<EventName>() }
        for event in events { kinds[event.text.withFieldValue { bucketing.bucket($0) }].insert(event) }
        return kinds
    }
}
