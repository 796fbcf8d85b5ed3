internal import ThrongPlan

/// A few moments, and the periods that they are counted by.
package struct TrialTime: Sendable {
    let name: String
    /// When something may happen. Unit: seconds since ``TrialTime/monday``.
    let slots: [Int64]
    let kinds: [PeriodKind]

    /// 2026-11-16 00:00 UTC.
    static let monday = UnixSeconds(1_794_787_200)
    private static let day: Int64 = 86_400
    /// 2027-02-01 00:00 UTC, a Monday: four weeks make up the month.
    private static let february = 77 * day

    static let all = [
        TrialTime(name: "a day", slots: [600], kinds: [.day]),
        TrialTime(name: "hours of a day", slots: [600, 4200, 7800], kinds: [.hour, .day]),
        TrialTime(name: "days of a week", slots: [0, 1, 2].map { $0 * day + 600 }, kinds: [.day, .week]),
        TrialTime(
            name: "weeks of a month", slots: [0, 1, 2, 3].map { february + $0 * 7 * day + 600 }, kinds: [.week, .month]),
    ]

    /// The period of a kind that a slot falls into.
    func period(_ kind: PeriodKind, _ slot: Int) -> Period {
        let length: Int64 =
            switch kind {
            case .hour: 3600
            case .day: Self.day
            case .week: 7 * Self.day
            case .month: 28 * Self.day
            }
        let origin = kind == .month ? Self.february : 0
        let start = origin + (slots[slot] - origin) / length * length
        return Period(kind: kind, start: Self.monday + start, end: Self.monday + (start + length))
    }

    /// The periods of a kind in which anything may happen, by start.
    func periods(_ kind: PeriodKind) -> [Period] {
        var found: [Period] = []
        for slot in slots.indices where found.last != period(kind, slot) { found.append(period(kind, slot)) }
        return found
    }
}
