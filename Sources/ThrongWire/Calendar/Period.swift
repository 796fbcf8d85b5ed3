/// What a counter covers.
public enum PeriodKind: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
    case hour
    case day
    case week
    case month

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
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
    /// What it is.
    public let kind: PeriodKind
    /// Its first second.
    public let start: UnixSeconds
    /// The first second after it.
    public let end: UnixSeconds

    /// Puts a period together; ``PeriodCalendar`` finds the bounds.
    public init(kind: PeriodKind, start: UnixSeconds, end: UnixSeconds) {
        self.kind = kind
        self.start = start
        self.end = end
    }

    /// Orders by start, then by length.
    public static func < (left: Self, right: Self) -> Bool {
        (left.start, left.end) < (right.start, right.end)
    }
}
