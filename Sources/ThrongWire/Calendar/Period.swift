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
    /// Its first second. Unit: Unix seconds.
    public let start: Int64
    /// The first second after it. Unit: Unix seconds.
    public let end: Int64

    /// Puts a period together; ``PeriodCalendar`` finds the bounds.
    public init(kind: PeriodKind, start: Int64, end: Int64) {
        self.kind = kind
        self.start = start
        self.end = end
    }

    /// Orders by start, then by length.
    public static func < (left: Self, right: Self) -> Bool {
        (left.start, left.end) < (right.start, right.end)
    }
}
