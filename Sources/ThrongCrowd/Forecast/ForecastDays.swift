internal import ThrongPlan

/// Days on which crowds came, the oldest first.
enum ForecastDays {
    /// Counts days, and hands each one over.
    ///
    /// - Parameter plan: whose days are in UTC.
    static func count<Found>(
        _ plan: Plan, _ crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate, progress: () -> Void,
        _ release: (CountedDay) throws -> Found
    ) throws -> [Found] {
        let counter = try DayCounter(plan)
        return try (0..<terms.days).map { place in
            let date = CalendarDate(daysSince1970: last.daysSince1970 - Int64(terms.days - 1 - place))
            let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(date.daysSince1970 * 86_400))
            let posting: Crowd.Posting =
                switch terms.posting {
                case .asItHappens: .asItHappens
                case .atOnce: .atOnce(day.end + 1)
                }
            return try release(
                counter.count { take in
                    try crowd.forEachParcel(
                        plan: plan, purposes: plan.purposes, day: day.start, posting: posting, devices: terms.devices,
                        seed: terms.seed &+ UInt64(place), isShuffled: true, progress: progress, take)
                })
        }
    }
}

extension Array where Element: Comparable {
    /// The middle one; of two middle ones the lower. Nil of none.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
