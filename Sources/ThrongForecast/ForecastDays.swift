internal import ThrongChance
internal import ThrongLoad
internal import ThrongPlan
internal import ThrongRelease

/// Days on which crowds came: counted, and not released yet.
struct ForecastDays {
    private(set) var days: [DayDecision]

    /// Counts the days, the oldest first.
    ///
    /// - Parameter plan: whose days are in UTC.
    init(
        _ plan: Plan, _ crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate, progress: () -> Void
    ) throws {
        let counter = try DayCounter(plan)
        let secret = TieSecret(trial: terms.seed)
        days = try (0..<terms.days).map { place in
            let date = CalendarDate(daysSince1970: last.daysSince1970 - Int64(terms.days - 1 - place))
            let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(date.daysSince1970 * 86_400))
            let posting: Crowd.Posting =
                switch terms.posting {
                case .asItHappens: .asItHappens
                case .atOnce: .atOnce(day.end + 1)
                }
            let counted = try counter.count { take in
                try crowd.forEachParcel(
                    plan: plan, purposes: plan.purposes, day: day.start, posting: posting, devices: terms.devices,
                    seed: terms.seed &+ UInt64(place), isShuffled: true, progress: progress, take)
            }
            return DayDecision(counted, of: plan, secret: secret, seconds: terms.proofSeconds)
        }
    }

    /// The days with all of their releases, each knowing what the day before showed.
    func decided() throws -> [DayDecision] {
        var former: [MetricName: Release] = [:]
        return try days.map { day in
            var day = day
            try day.finish(after: former)
            former = Dictionary(
                day.made.map { ($0.cube.layout.metric, $0.decision.release) }, uniquingKeysWith: { _, last in last })
            return day
        }
    }
}
