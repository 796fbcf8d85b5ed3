/// Buckets whose value is their label and nothing else: a device that knows its own system says it by its label.
public struct LabelBucketing: Bucketing {
    private let buckets: LabelTable

    /// Takes the labels in display order, with or without ``BucketLabel/other`` at the end.
    ///
    /// - Throws: ``BucketingProblem`` where a label is malformed or repeated.
    public init(_ labels: [BucketLabel]) throws(BucketingProblem) {
        buckets = try LabelTable(labels.last == .other ? labels.dropLast() : labels)
    }

    /// In display order; ``BucketLabel/other`` is the last.
    public var labels: [BucketLabel] { buckets.labels }

    /// The bucket whose label the value is, else `other`.
    public func bucket(_ value: FieldValue) -> Int { buckets[value] ?? buckets.other }
}
