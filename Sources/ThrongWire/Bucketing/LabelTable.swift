/// The labels of one bucketing, checked, and the way from a label's bytes back to its bucket.
package struct LabelTable: Sendable {
    /// In display order; ``BucketLabel/other`` is the last.
    package let labels: [BucketLabel]
    private let table: ByteTable

    /// The most buckets that one dimension may have.
    static let limit = 4096

    /// Checks the labels and puts ``BucketLabel/other`` behind them.
    package init(_ named: some Collection<BucketLabel>) throws(BucketingProblem) {
        guard !named.isEmpty else { throw .noBuckets }
        guard named.count < Self.limit else { throw .tooManyBuckets(found: named.count + 1, limit: Self.limit) }
        labels = Array(named) + [.other]
        var table = ByteTable()
        for (bucket, label) in labels.enumerated() {
            guard label.isPrintable else { throw .malformedLabel(label.text) }
            guard table.insert(label.text, bucket) == nil else { throw .repeatedLabel(label.text) }
        }
        self.table = table
    }

    /// Checks labels given as texts.
    package init(_ texts: [String]) throws(BucketingProblem) { try self.init(texts.map { BucketLabel($0) }) }

    /// The bucket of everything else.
    package var other: Int { labels.count - 1 }

    /// The bucket whose label has these bytes.
    package subscript(bytes: UnsafeBufferPointer<UInt8>) -> Int? { table[bytes] }

    /// The bucket whose label has these bytes of a longer text.
    package subscript(bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? { table[bytes] }

    /// The bucket whose label the value is, where it is text.
    package subscript(value: FieldValue) -> Int? {
        guard case .text(let text) = value else { return nil }
        return table[text.bytes]
    }
}
