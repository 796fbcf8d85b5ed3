internal import ThrongWire

/// What becomes of one field of one event before it leaves the device.
struct Coarsening: Sendable {
    /// The different bucketings that read the field.
    private let bucketings: [any Bucketing]
    /// The sums that add it up.
    private let sums: [SumMeasure]
    /// Whether it holds tokens of values that nobody lists: see ``RevealedValues``.
    private let isRevealed: Bool

    init(of field: FieldName, for metrics: [DevicePlan.Metric]) {
        var rules: Set<BucketingRule> = []
        bucketings = metrics.flatMap { $0.dimensions + $0.stepDimensions }.filter {
            $0.field == field.text && rules.insert($0.rule).inserted
        }
        .map(\.bucketing)
        sums = metrics.flatMap(\.sums).filter { $0.field == field }
        isRevealed = rules.contains { if case .revealed = $0 { true } else { false } }
    }

    /// Whether an event without it is refused.
    var isRequired: Bool { !sums.isEmpty }

    /// What is sent: a bucket's label, a clipped and rounded number where it is summed, or nothing, which is `other`.
    func callAsFunction(_ value: EventValue) throws(DropReason) -> Batch.Scalar? {
        guard sums.isEmpty else { return try clipped(value) }
        guard !isRevealed else {
            guard case .text(let text) = value, RevealedHash(wire: Array(text.utf8)) != nil else { return nil }
            return .text(text)
        }
        let found = bucketings.map { bucketing in value.withFieldValue { bucketing.bucket($0) } }
        let labels = zip(bucketings, found).map { bucketing, bucket in bucketing.labels[bucket] }
        if labels.allSatisfy({ $0 == .other }) { return nil }
        // Several dimensions may read one field; the label of the finest one lands in the right bucket of each.
        for label in labels where label != .other {
            let again = bucketings.map { bucketing in label.text.withFieldValue { bucketing.bucket($0) } }
            if again == found { return .text(label.text) }
        }
        throw .ambiguousField
    }

    private func clipped(_ value: EventValue) throws(DropReason) -> Batch.Scalar {
        guard let number = value.withFieldValue(\.numeric), let lowest = sums.map(\.lowest).min(),
            let highest = sums.map(\.highest).max(), let decimals = sums.map(\.decimals).max()
        else { throw .invalidValue }
        let whole = SumMeasure(
            name: "", field: "", lowest: lowest, highest: highest, decimals: decimals, unit: "")
        let quantum = whole.quantum(of: number)
        return decimals == 0 ? .integer(quantum) : .number(Double(quantum) / whole.scale)
    }
}

extension DropReason: Error {}
