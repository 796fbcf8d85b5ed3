package import ThrongPlan

/// A label of a revealed dimension and the bucket that it has.
package struct LearnedLabel: Sendable, Hashable {
    /// The dimension.
    package let dimension: DimensionName
    /// Its place among the dimension's buckets.
    package let slot: Int
    /// The value.
    package let label: BucketLabel
    /// Whether nothing is counted under it any more; it still names what was.
    package let isRetired: Bool

    /// Puts a label together.
    package init(dimension: DimensionName, slot: Int, label: BucketLabel, isRetired: Bool) {
        self.dimension = dimension
        self.slot = slot
        self.label = label
        self.isRetired = isRetired
    }
}
