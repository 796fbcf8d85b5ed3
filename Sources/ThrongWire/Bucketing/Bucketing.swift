/// A coarsening: total, closed and idempotent.
///
/// Total: every value, also a missing one, has a bucket. Closed: the buckets are ``labels``, known before any event.
/// Idempotent: a bucket's label, sent as the value, lands in that bucket, so a client may coarsen on the device.
public protocol Bucketing: Sendable {
    /// The buckets, in display order; the last one is ``BucketLabel/other`` unless the rule has no need of it.
    var labels: [BucketLabel] { get }

    /// The bucket of a value: an index into ``labels``.
    ///
    /// - Complexity: no allocation on values seen before, except user agents on their first sight.
    func bucket(_ value: FieldValue) -> Int
}

/// Buckets whose value is their label and nothing else: a device that knows its own system says it by its label.
public struct LabelBucketing: Bucketing {
    private let buckets: LabelTable

    /// Takes the labels in display order, with or without ``BucketLabel/other`` at the end.
    ///
    /// - Throws: ``BucketingProblem`` where a label is malformed or repeated.
    public init(_ labels: [BucketLabel]) throws(BucketingProblem) {
        buckets = try LabelTable(labels.last == .other ? labels.dropLast() : labels)
    }

    /// The labels in display order; ``BucketLabel/other`` is the last.
    public var labels: [BucketLabel] { buckets.labels }

    /// The bucket whose label the value is, else `other`.
    public func bucket(_ value: FieldValue) -> Int { buckets[value] ?? buckets.other }
}

/// A bucketing whose labels stand in a table.
package protocol TabledBucketing: Bucketing { var buckets: LabelTable { get } }

extension TabledBucketing { package var labels: [BucketLabel] { buckets.labels } }

/// The labels of one bucketing, checked, and the way from a label's bytes back to its bucket.
package struct LabelTable: Sendable {
    /// The labels in display order; ``BucketLabel/other`` is the last.
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
