package import ThrongWire

/// The condition under which a report is made: one of its numbers is beyond a bound, or beyond what is usual.
package struct Alert: Sendable, Hashable {
    /// The insight whose number it is about, which is one of the report's.
    package let insight: InsightName
    /// The bound below which the number makes the report, in the insight's unit; nil for none.
    package let below: Double?
    /// The bound above which it does.
    package let above: Double?
    /// True if it does where it is unlike those of ``periods(before:in:)``.
    package let isUnusual: Bool

    /// The number of earlier periods that tell what is usual.
    package static let usual = 8
    /// The least number of them that have to be published.
    package static let fewest = 4

    /// Returns the periods that tell what is usual, the latest first: of hours and days those of the same weekday.
    package func periods(before period: Period, in calendar: PeriodCalendar) -> [Period] {
        guard isUnusual else { return [] }
        let reference: Insight.Reference = period.kind > .day ? .periodBefore : .weekBefore
        var periods = [period]
        for _ in 0..<Self.usual { periods.append(reference.period(of: periods[periods.count - 1], in: calendar)) }
        return Array(periods.dropFirst())
    }
}

extension Insight.Reference {
    /// The period that another is compared with.
    package func period(of period: Period, in calendar: PeriodCalendar) -> Period {
        switch self {
        case .periodBefore:
            return calendar.period(period.kind, containing: period.start - 1)
        case .weekBefore: return earlier(period, byDays: 7, in: calendar)
        case .yearBefore: return earlier(period, byDays: period.kind == .month ? 365 : 364, in: calendar)
        }
    }

    /// The period of the same kind so many days before, at the same hour by the wall clock, also across a change of it.
    private func earlier(_ period: Period, byDays days: Int64, in calendar: PeriodCalendar) -> Period {
        let date = calendar.date(at: period.start).adding(days: -days)
        guard period.kind == .hour else {
            return calendar.period(period.kind, containing: calendar.midnight(of: date))
        }
        let length = days * 86_400
        let shift = calendar.offset(at: period.start) - calendar.offset(at: period.start - length)
        return calendar.period(.hour, containing: period.start - length + shift)
    }
}
