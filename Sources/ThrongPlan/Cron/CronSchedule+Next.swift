extension CronSchedule {
    /// The first time after an instant, by the wall clock of a calendar.
    ///
    /// A time that the clock skips in spring is made up for at the first instant after the gap; an hour that the clock
    /// repeats in autumn counts once, the first time.
    ///
    /// - Returns: nil only for a schedule that does not happen within nine years.
    /// - Complexity: O(days until then).
    package func next(after time: UnixSeconds, in calendar: PeriodCalendar) -> UnixSeconds? {
        var date = calendar.date(at: time)
        // 29 February is at most eight years away: 2096 to 2104.
        let last = date.adding(days: 9 * 366)
        while date <= last {
            if includes(date), let found = first(on: date, after: time, in: calendar) { return found }
            date = date.adding(days: 1)
        }
        return nil
    }

    private func first(on date: CalendarDate, after time: UnixSeconds, in calendar: PeriodCalendar) -> UnixSeconds? {
        for hour in 0..<24 where hours & 1 << UInt64(hour) != 0 {
            for minute in 0..<60 where minutes & 1 << UInt64(minute) != 0 {
                let instant = calendar.instant(of: date, secondOfDay: Int64(hour * 3600 + minute * 60))
                if instant > time { return instant }
            }
        }
        return nil
    }
}

extension PeriodCalendar {
    /// The first instant at which the wall clock shows a time of a date, or the end of the gap that skips it.
    func instant(of date: CalendarDate, secondOfDay: Int64) -> UnixSeconds {
        let local = UnixSeconds(date.daysSince1970 * 86_400 + secondOfDay)
        let before = offset(at: local - 86_400)
        let after = offset(at: local + 86_400)
        // The greater offset is the earlier instant.
        let candidates = [local - Swift.max(before, after), local - Swift.min(before, after)]
        for candidate in candidates where candidate + offset(at: candidate) == local { return candidate }
        // Skipped: the offset changes between the candidates.
        var low = candidates[0]
        var high = candidates[1]
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if middle + offset(at: middle) < local { low = middle } else { high = middle }
        }
        return high
    }
}
