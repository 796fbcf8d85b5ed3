public import ThrongPlan

extension PeriodCalendar {
    /// A period in words: "Saturday, 21 November 2026", "16 to 22 November 2026", "November 2026".
    public func title(of period: Period) -> String {
        let first = date(at: period.start)
        let last = date(at: period.end - 1)
        switch period.kind {
        case .hour:
            return "\(first.inWords), \(clock(at: period.start)) to \(clock(at: period.end))"
        case .day:
            return "\(first.weekdayName), \(first.inWords)"
        case .week:
            if first.year != last.year { return "\(first.inWords) to \(last.inWords)" }
            if first.month != last.month { return "\(first.day) \(first.monthName) to \(last.inWords)" }
            return "\(first.day) to \(last.inWords)"
        case .month:
            return "\(first.monthName) \(first.year)"
        }
    }

    private func clock(at unixSeconds: Int64) -> String {
        let minutes = secondOfDay(at: unixSeconds) / 60
        return [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension CalendarDate {
    fileprivate var inWords: String { "\(day) \(monthName) \(year)" }

    fileprivate var monthName: String {
        [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ][month - 1]
    }

    fileprivate var weekdayName: String {
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][weekday]
    }
}
