package import ThrongPlan

extension Insight {
    /// The periods besides a report's own whose releases the insight reads, the latest first.
    package func earlierPeriods(of period: Period, in calendar: PeriodCalendar) -> [Period] {
        switch view {
        case .table, .ranking: return []
        case .change(let references): return references.map { $0.period(of: period, in: calendar) }
        case .trend(let periods):
            var all: [Period] = []
            var next = period
            for _ in 1..<max(periods, 1) {
                next = Reference.periodBefore.period(of: next, in: calendar)
                all.append(next)
            }
            return all
        }
    }
}

extension Insight.Reference {
    /// The period that another is compared with.
    package func period(of period: Period, in calendar: PeriodCalendar) -> Period {
        switch self {
        case .periodBefore:
            return calendar.period(period.kind, containing: period.start - 1)
        case .weekBefore:
            let date = calendar.date(at: period.start).adding(days: -7)
            guard period.kind == .hour else {
                return calendar.period(period.kind, containing: calendar.midnight(of: date))
            }
            // The same hour by the wall clock, also across a change of it.
            let week: Int64 = 7 * 86_400
            let shift = calendar.offset(at: period.start) - calendar.offset(at: period.start - week)
            return calendar.period(.hour, containing: period.start - week + shift)
        }
    }
}
