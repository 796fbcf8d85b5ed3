package import ThrongPlan

/// One dimension by which an answer is broken down.
package struct AnswerAxis: Sendable, Hashable {
    /// The dimension's name: a column of the CSV.
    package let name: DimensionName
    /// What people read above the column.
    package let title: String
    /// Its buckets in the plan's order.
    package let labels: [BucketLabel]

    /// Puts an axis together.
    package init(name: DimensionName, title: String, labels: [BucketLabel]) {
        self.name = name
        self.title = title
        self.labels = labels
    }
}
