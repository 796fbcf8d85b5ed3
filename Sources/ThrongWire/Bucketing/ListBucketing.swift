/// Named groups of values; what no group lists goes to `other`.
struct ListBucketing: TabledBucketing {
    let buckets: LabelTable
    private let values: ByteTable

    /// - Parameter letters: the way in which values are compared; labels are always compared by their bytes.
    init(_ groups: [BucketGroup], letters: ByteTable.Letters = .exact) throws(BucketingProblem) {
        // A group may spell out what goes to `other`; it is then no bucket of its own.
        let named = groups.filter { $0.label != .other }
        buckets = try LabelTable(named.map(\.label))
        var values = ByteTable(letters)
        for (bucket, group) in (named + groups.filter { $0.label == .other }).enumerated() {
            for value in [group.label.text] + group.values {
                let place = Swift.min(bucket, buckets.other)
                if let first = values.insert(value, place), first != place {
                    throw .repeatedValue(value, first: buckets.labels[first], second: group.label)
                }
            }
        }
        self.values = values
    }

    func bucket(_ value: FieldValue) -> Int {
        // Labels are among the values.
        if case .text(let text) = value { return values[text.bytes] ?? buckets.other }
        return value.withText { values[$0] ?? buckets.other } ?? buckets.other
    }
}
