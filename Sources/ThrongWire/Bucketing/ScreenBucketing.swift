/// A screen such as "390x844" to small, medium or large by its short side, whichever way it is held.
///
/// Unit: CSS pixels. A bare number is taken for the short side.
struct ScreenBucketing: Bucketing {
    private let buckets: LabelTable
    private let mediumFrom: Double
    private let largeFrom: Double

    init(mediumFrom: Int, largeFrom: Int) throws(BucketingProblem) {
        guard 0 < mediumFrom, mediumFrom < largeFrom else {
            throw .malformedScreen(mediumFrom: mediumFrom, largeFrom: largeFrom)
        }
        buckets = try LabelTable(["small", "medium", "large"])
        self.mediumFrom = Double(mediumFrom)
        self.largeFrom = Double(largeFrom)
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard let side = shortSide(value), side > 0 else { return buckets.other }
        return side < mediumFrom ? 0 : side < largeFrom ? 1 : 2
    }

    private func shortSide(_ value: FieldValue) -> Double? {
        guard case .text(let text) = value else { return value.numeric }
        let all = Slice(base: text.bytes, bounds: text.bytes.indices)
        guard let cross = all.firstIndex(where: { $0.lowercasedASCII == UInt8(ascii: "x") }) else { return all.decimal }
        guard let width = all[..<cross].decimal, let height = all[(cross + 1)...].decimal else { return nil }
        return Swift.min(width, height)
    }
}
