package import ThrongPlan

/// One bucket that an answer is confined to, with the words for it.
package struct AnswerFilter: Sendable, Hashable {
    /// The dimension's name.
    package let dimension: DimensionName
    /// What people call the dimension.
    package let title: String
    /// The bucket.
    package let bucket: BucketLabel

    /// Puts a filter together.
    package init(dimension: DimensionName, title: String, bucket: BucketLabel) {
        self.dimension = dimension
        self.title = title
        self.bucket = bucket
    }
}
