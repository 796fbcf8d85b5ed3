internal import ThrongWire

/// When a device recorded what a metric asks about, as far as it takes to answer.
struct Activity: Codable, Sendable {
    /// For retention: the start of the week of the first event.
    private var first: UnixSeconds?
    /// For retention: the weeks after that one that are answered, as numbers; at most as many as the plan asks for.
    private var answered: Set<Int64> = []
    /// For frequency: periods that are not answered yet.
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
    /// Whether an event is asked about.
    func asks(about event: String) -> Bool {
        (retention?.of ?? frequency?.of ?? []).contains { $0.text == event }
    }

    /// How long the stretches are that are answered one by one.
    var period: PeriodKind { frequency?.per ?? .week }
}
