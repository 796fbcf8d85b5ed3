/// Slots for the values of an open vocabulary, which get their labels while counting goes on, and `other`.
///
/// Which value has which slot is no part of a plan: it is learned, and looked up by the hash of one window. Without that
/// everything is `other`.
struct RevealedBucketing: Bucketing {
    let labels: [BucketLabel]

    init(most: Int) throws(BucketingProblem) {
        guard most > 0 else { throw .noBuckets }
        guard most < LabelTable.limit else { throw .tooManyBuckets(found: most + 1, limit: LabelTable.limit) }
        labels = (0..<most).map { .vacant($0) } + [.other]
    }

    func bucket(_ value: FieldValue) -> Int { labels.count - 1 }
}

extension BucketLabel {
    /// Returns the placeholder for a slot of a revealed dimension that has no label yet. No label that is learned
    /// starts with a bracket (``UnfitValue/reserved``).
    public static func vacant(_ slot: Int) -> BucketLabel { BucketLabel("(\(slot))") }

    /// True if the label, which must be a revealed dimension's, stands for a slot without a label.
    public var isVacant: Bool { text.utf8.first == UInt8(ascii: "(") }
}
