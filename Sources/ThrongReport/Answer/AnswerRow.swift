public import ThrongPlan

/// One row of an answer: a bucket of each axis and its number.
public struct AnswerRow: Sendable, Hashable {
    /// One bucket an axis.
    public let buckets: [BucketLabel]
    /// The number.
    public let figure: Figure

    /// Puts a row together.
    public init(buckets: [BucketLabel], figure: Figure) {
        self.buckets = buckets
        self.figure = figure
    }
}
