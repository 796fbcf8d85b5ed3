internal import ThrongWire

/// In which periods a device recorded what a metric asks about, until it has answered.
struct Activity: Codable, Sendable {
    /// The start of the week of the first event, for retention. Unit: Unix seconds.
    var first: Int64?
    /// Periods that are not answered yet, ascending.
    var periods: [Active] = []

    struct Active: Codable, Sendable {
        let start: Int64
        let end: Int64
        var count: Int
    }

    /// Notes one event.
    mutating func note(_ period: Period) {
        if let place = periods.lastIndex(where: { $0.start == period.start }) {
            periods[place].count = min(periods[place].count + 1, 1_000_000_000)
        } else {
            periods.append(Active(start: period.start, end: period.end, count: 1))
        }
    }

    /// Takes out the periods that are over.
    mutating func takeOver(at now: Int64) -> [Active] {
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
