internal import ThrongWire

/// The times when a device recorded what a metric asks about, as far as the answer needs them.
struct Activity: Codable, Sendable {
    /// The start of the week of the first event; for retention.
    private var first: UnixSeconds?
    /// The numbers of the weeks after that one that are answered, at most as many as the plan asks for; for retention.
    private var answered: Set<Int64> = []
    /// The periods that are not answered yet; for frequency.
    private var periods: [Active] = []

    struct Active: Codable, Sendable {
        let start: UnixSeconds
        let end: UnixSeconds
        var count: Int
    }

    /// Notes an event for retention.
    ///
    /// - Returns: how many weeks after the first one it is, 0 to `most`, if that week is not answered yet.
    mutating func comeBack(in week: Period, most: Int, calendar: PeriodCalendar) -> Int64? {
        func number(since start: UnixSeconds) -> Int64 {
            (calendar.date(at: week.start).daysSince1970 - calendar.date(at: start).daysSince1970) / 7
        }
        // A clock that was ahead when it began has begun nothing.
        if first.map({ number(since: $0) < 0 }) ?? true {
            first = week.start
            answered = []
        }
        guard let weeks = first.map(number), weeks <= Int64(most), answered.insert(weeks).inserted else { return nil }
        return weeks
    }

    /// Notes an event for frequency.
    mutating func note(_ period: Period) {
        if let place = periods.lastIndex(where: { $0.start == period.start }) {
            periods[place].count = min(periods[place].count + 1, 1_000_000_000)
        } else {
            periods.append(Active(start: period.start, end: period.end, count: 1))
        }
    }

    /// Takes out the periods that are over.
    mutating func takeOver(at now: UnixSeconds) -> [Active] {
        let over = periods.filter { $0.end <= now }
        periods.removeAll { $0.end <= now }
        return over
    }
}

extension PublicPlan.Answered {
    /// Says whether the metric asks about an event.
    func asks(about event: String) -> Bool { (retention?.of ?? frequency?.of ?? []).contains { $0.text == event } }

    /// The length of the periods that are answered one by one.
    var period: PeriodKind { frequency?.per ?? .week }
}
