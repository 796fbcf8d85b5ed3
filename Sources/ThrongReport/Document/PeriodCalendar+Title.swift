public import ThrongPlan

extension PeriodCalendar {
    /// A period in words: "Saturday, 21 November 2026", "16 to 22 November 2026", "November 2026".
    public func title(of period: Period, in locale: ReportLocale = .english) -> String {
        let first = date(at: period.start)
        let last = date(at: period.end - 1)
        let to = locale == .english || locale == .americanEnglish ? "to" : "\u{2013}"
        switch period.kind {
        case .hour:
            return "\(locale.longDate(first)), \(clock(at: period.start)) \(to) \(clock(at: period.end))"
        case .day:
            return locale.weekdayAndDate(first)
        case .week:
            let isWithinYear = first.year == last.year
            if locale == .english, isWithinYear, first.month == last.month {
                return "\(first.day) to \(locale.longDate(last))"
            }
            let start = isWithinYear ? locale.dayAndMonth(first) : locale.longDate(first)
            return "\(start) \(to) \(locale.longDate(last))"
        case .month:
            return locale.monthAndYear(first)
        }
    }

    /// A period where there is little room: "21 Nov 10:00", "21 Nov", "W47", "Nov 2026".
    public func shortTitle(of period: Period, in locale: ReportLocale = .english) -> String {
        let first = date(at: period.start)
        return switch period.kind {
        case .hour: "\(locale.shortDate(first)) \(clock(at: period.start))"
        case .day: locale.shortDate(first)
        case .week: locale.week(first.isoWeek.week)
        case .month: locale.shortMonth(first)
        }
    }

    private func clock(at unixSeconds: Int64) -> String {
        let minutes = secondOfDay(at: unixSeconds) / 60
        return [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
