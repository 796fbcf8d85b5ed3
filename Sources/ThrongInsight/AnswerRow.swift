package import ThrongPlan

/// One row of an answer: a bucket of each axis and its number.
package struct AnswerRow: Sendable, Hashable {
    /// One bucket an axis.
    package let buckets: [BucketLabel]
    /// The number.
    package let figure: Figure

    /// Puts a row together.
    package init(buckets: [BucketLabel], figure: Figure) {
        self.buckets = buckets
        self.figure = figure
    }
}
