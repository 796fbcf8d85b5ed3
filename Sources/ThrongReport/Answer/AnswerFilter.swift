public import ThrongPlan

/// One bucket that an answer is confined to, with the words for it.
public struct AnswerFilter: Sendable, Hashable {
    /// The dimension's name.
    public let dimension: DimensionName
    /// What people call the dimension.
    public let title: String
    /// The bucket.
    public let bucket: BucketLabel

    /// Puts a filter together.
    public init(dimension: DimensionName, title: String, bucket: BucketLabel) {
        self.dimension = dimension
        self.title = title
        self.bucket = bucket
    }
}
