package import ThrongPlan

extension PeriodCalendar {
    /// A period in words: "Saturday, 21 November 2026", "16 to 22 November 2026", "November 2026"; an hour that the
    /// wall clock shows twice with its offset: "25 October 2026, 02:00 to 03:00 (UTC+02:00)".
    package func title(of period: Period, in locale: ReportLocale = .english) -> String {
        let first = date(at: period.start)
        let last = date(at: period.end - 1)
        let to = locale == .english || locale == .americanEnglish ? "to" : "\u{2013}"
        switch period.kind {
        case .hour:
            let repetition = repetition(at: period.start)
            guard !repetition.isEmpty else {
                return "\(locale.longDate(first)), \(clock(at: period.start)) \(to) \(clock(at: period.end))"
            }
            // The end is told by the clock that the period began with.
            let end = clock(secondOfDay(at: period.start) + (period.end - period.start))
            return "\(locale.longDate(first)), \(clock(at: period.start)) \(to) \(end) (UTC\(repetition))"
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

    /// A period behind what happened in it: "on Saturday, 21 November 2026", "in the week of 16 to 22 November 2026".
    package func phrase(of period: Period) -> String {
        switch period.kind {
        case .hour, .day: "on \(title(of: period))"
        case .week: "in the week of \(title(of: period))"
        case .month: "in \(title(of: period))"
        }
    }

    /// A period where there is little room: "21 Nov 10:00", "21 Nov", "W47", "Nov 2026".
    package func shortTitle(of period: Period, in locale: ReportLocale = .english) -> String {
        let first = date(at: period.start)
        return switch period.kind {
        case .hour: "\(locale.shortDate(first)) \(clock(at: period.start))\(repetition(at: period.start))"
        case .day: locale.shortDate(first)
        case .week: locale.week(first.isoWeek.week)
        case .month: locale.shortMonth(first)
        }
    }

    /// "21 November 2026, 14:05".
    package func instantTitle(of time: UnixSeconds, in locale: ReportLocale = .english) -> String {
        "\(locale.longDate(date(at: time))), \(clock(at: time))\(repetition(at: time))"
    }

    private func clock(at time: UnixSeconds) -> String { clock(secondOfDay(at: time)) }

    private func clock(_ seconds: Int64) -> String {
        let minutes = seconds % 86_400 / 60
        return [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension PeriodKind {
    /// "a day", "an hour".
    package var withArticle: String { "\(self == .hour ? "an" : "a") \(rawValue)" }
}
