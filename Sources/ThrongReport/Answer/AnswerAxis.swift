public import ThrongPlan

/// One dimension by which an answer is broken down.
public struct AnswerAxis: Sendable, Hashable {
    /// The dimension's name: a column of the CSV.
    public let name: DimensionName
    /// What people read above the column.
    public let title: String
    /// Its buckets in the plan's order.
    public let labels: [BucketLabel]

    /// Puts an axis together.
    public init(name: DimensionName, title: String, labels: [BucketLabel]) {
        self.name = name
        self.title = title
        self.labels = labels
    }
}
