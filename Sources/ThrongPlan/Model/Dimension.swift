/// One way to split a metric: a field of the event and the bucketing that coarsens it.
public struct Dimension: Sendable, Hashable {
    /// Column name in the analyst's tables.
    public let name: DimensionName
    /// What people read above a chart.
    public let title: String
    /// The field that is coarsened; ``FieldName/time`` is the event's own time.
    public let field: FieldName
    /// How the field becomes a bucket.
    public let rule: BucketingRule
    /// Whether a device can be in only one bucket within a window: what a device is, not what it does.
    public let partitionsDevices: Bool

    /// Whether its buckets are learned while counting goes on, instead of being listed in the plan.
    public var isRevealed: Bool { if case .revealed = rule { true } else { false } }

    /// Puts a dimension together.
    public init(name: DimensionName, title: String, field: FieldName, rule: BucketingRule, partitionsDevices: Bool) {
        self.name = name
        self.title = title
        self.field = field
        self.rule = rule
        self.partitionsDevices = partitionsDevices
    }
}
