/// A time zone to a band of UTC offsets: "UTC+0..UTC+2".
///
/// The value is an IANA name, taken at its standard time, or minutes east of UTC as a number. A label names the whole
/// hours that it holds, half hours counting with the hour below; bands start at UTC-12 and the last ends with UTC+14.
struct UTCOffsetBucketing: Bucketing {
    private let buckets: LabelTable
    private let bandHours: Int

    private static let hours = -12...14

    init(bandHours: Int) throws(BucketingProblem) {
        guard (1...24).contains(bandHours) else { throw .malformedBandHours(bandHours) }
        self.bandHours = bandHours
        func named(_ hour: Int) -> String { hour < 0 ? "UTC\(hour)" : "UTC+\(hour)" }
        buckets = try LabelTable(
            stride(from: Self.hours.lowerBound, through: Self.hours.upperBound, by: bandHours).map { first in
                let last = Swift.min(first + bandHours - 1, Self.hours.upperBound)
                return first == last ? named(first) : "\(named(first))..\(named(last))"
            })
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        if case .text(let text) = value, let minutes = StandardOffsets.minutes[text.bytes] {
            return bucket(minutes: Double(minutes))
        }
        guard let minutes = value.numeric else { return buckets.other }
        return bucket(minutes: minutes)
    }

    private func bucket(minutes: Double) -> Int {
        let hour = (minutes / 60).rounded(.down)
        guard hour >= Double(Self.hours.lowerBound), hour <= Double(Self.hours.upperBound) else { return buckets.other }
        return (Int(hour) - Self.hours.lowerBound) / bandHours
    }
}
