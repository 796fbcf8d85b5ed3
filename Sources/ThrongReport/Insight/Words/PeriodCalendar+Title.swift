package import ThrongPlan

extension PeriodCalendar {
    /// A period in words: "Saturday, 21 November 2026", "16 to 22 November 2026", "November 2026"; an hour that the
    /// wall clock shows twice with its offset: "25 October 2026, 02:00 to 03:00 (UTC+02:00)".
    package func title(of period: Period, in locale: Language = .english) -> String {
        let (first, last) = (date(at: period.start), date(at: period.end - 1))
        switch period.kind {
        case .hour:
            let repetition = repetition(at: period.start)
            // Where there are two, the end is told by the clock that the period began with.
            let end =
                repetition.isEmpty
                ? clock(at: period.end, in: locale)
                : clock(secondOfDay(at: period.start) + (period.end - period.start), in: locale)
            return locale.say(
                .periodHour,
                [
                    "date": locale.date("yMMMMd", first), "from": clock(at: period.start, in: locale), "until": end,
                    "isRepeated": !repetition.isEmpty, "offset": repetition,
                ])
        case .day: return locale.date("yMMMMEEEEd", first)
        case .week:
            let day = locale.digits("\(first.day)")
            let isDayFirst = locale.date("MMMMd", first).hasPrefix(day)
            let isWithinMonth = first.month == last.month && isDayFirst
            return locale.say(
                .periodWeek,
                [
                    "within": first.year != last.year ? "none" : isWithinMonth ? "month" : "year", "day": day,
                    "first": locale.date("MMMMd", first), "firstWithYear": locale.date("yMMMMd", first),
                    "last": locale.date("yMMMMd", last),
                ])
        case .month: return locale.date("yMMMM", first)
        }
    }

    /// A period where there is little room: "21 Nov 10:00", "21 Nov", "W47", "Nov 2026".
    package func shortTitle(of period: Period, in locale: Language = .english) -> String {
        let first = date(at: period.start)
        let day = locale.date("MMMd", first)
        return switch period.kind {
        case .hour: "\(day) \(clock(at: period.start, in: locale))\(repetition(at: period.start))"
        case .day: day
        case .week: locale.say(.weekShort, ["week": locale.digits("\(first.isoWeek.week)")])
        case .month: locale.date("yMMM", first)
        }
    }

    /// "21 November 2026, 14:05".
    package func instantTitle(of time: UnixSeconds, in locale: Language = .english) -> String {
        let clock = "\(clock(at: time, in: locale))\(repetition(at: time))"
        return locale.say(.instant, ["date": locale.date("yMMMMd", date(at: time)), "time": clock])
    }

    private func clock(at time: UnixSeconds, in locale: Language) -> String { clock(secondOfDay(at: time), in: locale) }

    private func clock(_ seconds: Int64, in locale: Language) -> String {
        let minutes = seconds % 86_400 / 60
        return locale.digits([minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))
    }
}
