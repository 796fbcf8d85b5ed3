/// The length of time that a counter covers.
public enum PeriodKind: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
    case hour
    case day
    case week
    case month

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// Its place among all kinds, from 0; the shortest is first.
    package var rank: Int {
        switch self {
        case .hour: 0
        case .day: 1
        case .week: 2
        case .month: 3
        }
    }
}

/// One hour, day, week or month of an app's calendar.
public struct Period: Sendable, Hashable, Comparable, Codable {
    /// The period's length.
    public let kind: PeriodKind
    /// The period's first second.
    public let start: UnixSeconds
    /// The first second after the period.
    public let end: UnixSeconds

    /// Creates a period with its kind and bounds, which ``PeriodCalendar`` finds.
    public init(kind: PeriodKind, start: UnixSeconds, end: UnixSeconds) {
        (self.kind, self.start, self.end) = (kind, start, end)
    }

    /// Orders by start, then by length.
    public static func < (left: Self, right: Self) -> Bool { (left.start, left.end) < (right.start, right.end) }
}
