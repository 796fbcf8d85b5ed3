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
        base.map { label in
            groups.firstIndex { $0.values.contains { BucketLabel($0) == label } } ?? groups.count
        }
    }
}
