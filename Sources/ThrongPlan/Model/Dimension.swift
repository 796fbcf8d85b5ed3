/// One way to split a metric: a field of the event and the bucketing that coarsens it.
package struct Dimension: Sendable, Hashable {
    /// Column name in the analyst's tables.
    package let name: DimensionName
    /// What people read above a chart.
    package let title: String
    /// The field that is coarsened; ``FieldName/time`` is the event's own time.
    package let field: FieldName
    /// How the field becomes a bucket.
    package let rule: BucketingRule
    /// Whether a device can be in only one bucket within a window: what a device is, not what it does.
    package let partitionsDevices: Bool

    /// Whether its buckets are learned while counting goes on, instead of being listed in the plan.
    package var isRevealed: Bool { if case .revealed = rule { true } else { false } }

    /// Puts a dimension together.
    package init(name: DimensionName, title: String, field: FieldName, rule: BucketingRule, partitionsDevices: Bool) {
        self.name = name
        self.title = title
        self.field = field
        self.rule = rule
        self.partitionsDevices = partitionsDevices
    }
}
