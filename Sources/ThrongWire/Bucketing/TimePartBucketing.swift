import Synchronization

/// The event's time to its hour, day of the month, weekday or ISO week by the wall clock of one zone.
///
/// The value is Unix seconds. Times outside the years 1 to 9999, and values that are not times, go to `other`.
final class TimePartBucketing: TabledBucketing {
    let buckets: LabelTable
    private let part: BucketingRule.TimePart
    private let calendar: PeriodCalendar
    /// The last quarter of an hour that was asked for and its bucket, so that live events need no time zone rules:
    /// quarter · 256 + bucket. Since 1973 every zone has changed its clock on a quarter of an hour only.
    private let latest = Atomic<Int64>(-1)

    private static let quarter: Int64 = 900
    private static let start1973 = UnixSeconds(94_694_400)
    private static let years1To9999: ClosedRange = UnixSeconds(-62_135_510_400)...UnixSeconds(253_402_214_400)

    init(part: BucketingRule.TimePart, timeZone: String) throws(BucketingProblem) {
        guard let calendar = PeriodCalendar(timeZone: timeZone) else { throw .unknownTimeZone(timeZone) }
        self.part = part
        self.calendar = calendar
        buckets = try LabelTable(Self.labels(of: part))
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        let seconds: UnixSeconds
        if case .integer(let integer) = value {
            seconds = UnixSeconds(integer)
        } else if let number = value.numeric, let integer = Int64(exactly: number.rounded(.down)) {
            seconds = UnixSeconds(integer)
        } else {
            return buckets.other
        }
        guard Self.years1To9999.contains(seconds) else { return buckets.other }
        guard seconds >= Self.start1973 else { return bucket(at: seconds) }
        let quarter = seconds.value / Self.quarter
        let known = latest.load(ordering: .relaxed)
        if known >> 8 == quarter { return Int(known & 0xff) }
        let bucket = bucket(at: seconds)
        latest.store(quarter << 8 | Int64(bucket), ordering: .relaxed)
        return bucket
    }

    private func bucket(at time: UnixSeconds) -> Int {
        switch part {
        case .hour: Int(calendar.secondOfDay(at: time) / 3600)
        case .day: calendar.date(at: time).day - 1
        case .weekday: calendar.date(at: time).weekday
        case .week: calendar.date(at: time).isoWeek.week - 1
        }
    }

    private static func labels(of part: BucketingRule.TimePart) -> [String] {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return switch part {
        case .hour: (0...23).map(padded)
        case .day: (1...31).map(padded)
        case .weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        case .week: (1...53).map { "W" + padded($0) }
        }
    }
}
