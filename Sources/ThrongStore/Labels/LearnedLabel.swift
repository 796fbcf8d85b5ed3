public import ThrongPlan

/// A label of a revealed dimension and the bucket that it has.
public struct LearnedLabel: Sendable, Hashable {
    /// The dimension.
    public let dimension: DimensionName
    /// Its place among the dimension's buckets.
    public let slot: Int
    /// The value.
    public let label: BucketLabel
    /// Whether nothing is counted under it any more; it still names what was.
    public let isRetired: Bool

    /// Puts a label together.
    public init(dimension: DimensionName, slot: Int, label: BucketLabel, isRetired: Bool) {
        self.dimension = dimension
        self.slot = slot
        self.label = label
        self.isRetired = isRetired
    }
}
