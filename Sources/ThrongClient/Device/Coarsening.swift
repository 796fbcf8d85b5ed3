internal import ThrongWire

/// The treatment of one field of an event before it leaves the device.
struct Coarsening: Sendable {
    /// The different bucketings that read the field.
    private let bucketings: [any Bucketing]
    /// The sums that add it up.
    private let sums: [SumMeasure]
    /// True if the field holds tokens of values that nobody lists: see ``RevealedValues``.
    private let isRevealed: Bool

    init(of field: FieldName, for metrics: [DevicePlan.Metric]) {
        var rules: Set<BucketingRule> = []
        bucketings = metrics.flatMap { $0.dimensions + $0.stepDimensions }.filter {
            $0.field == field.text && rules.insert($0.rule).inserted
        }.map(\.bucketing)
        sums = metrics.flatMap(\.sums).filter { $0.field == field }
        isRevealed = rules.contains { if case .revealed = $0 { true } else { false } }
    }

    /// True if an event without the field is refused.
    var isRequired: Bool { !sums.isEmpty }

    /// Returns what is sent: a label, a clipped number if the field is summed, or nil, which is `other`.
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
        let whole = SumMeasure(name: "", field: "", lowest: lowest, highest: highest, decimals: decimals, unit: "")
        let quantum = whole.quantum(of: number)
        return decimals == 0 ? .integer(quantum) : .number(Double(quantum) / whole.scale)
    }
}

extension DropReason: Error {}

extension DevicePlan.Event {
    /// The readers of its fields, by a name that outlives the field's: the dimension's, or the metric's and the sum's.
    private var readers: [(name: String, field: String)] {
        metrics.flatMap { metric in
            (metric.dimensions + metric.stepDimensions).map { ($0.name, $0.field) }
                + metric.sums.map { ("\(metric.name) \($0.name)", $0.field.text) }
        }
    }

    /// Returns coarsened fields under the names that they have here, if a former plan had others for what reads them.
    func renamed(_ coarsened: [String: Batch.Scalar], from old: DevicePlan.Event) -> [String: Batch.Scalar] {
        let former = Dictionary(old.readers.map { ($0.name, $0.field) }) { first, _ in first }
        // A field that nothing reads is not sent; a plan after this one may read it again.
        var renamed = coarsened.filter { fields[$0.key] == nil }
        for (name, field) in readers where renamed[field] == nil { renamed[field] = coarsened[former[name] ?? field] }
        return renamed
    }

    /// Returns the fields that leave the device, of those that it has, or that a former plan coarsened; those that this one
    /// has no use for are left out.
    ///
    /// - Throws: why the event can't be counted, or not any more.
    func coarsened(_ value: (_ field: String) -> EventValue?) throws(DropReason) -> [String: Batch.Scalar] {
        var coarsened: [String: Batch.Scalar] = [:]
        for (name, coarsening) in fields {
            if let value = value(name) {
                coarsened[name] = try coarsening(value)
            } else if coarsening.isRequired {
                throw .invalidValue
            }
        }
        return coarsened
    }
}

extension Batch.Scalar {
    /// The value as an app would have given it.
    var eventValue: EventValue? {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        case .null: nil
        }
    }
}
