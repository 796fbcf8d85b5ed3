extension PlanReader {
    static var mostWeeks: Int { 52 }

    private enum AnswerPeriod: String, CaseIterable { case week }

    /// Reads a metric's `answered`; what it says of other parts is checked once these are known.
    mutating func answered(_ value: PlanValue?) -> DeviceAnswer? {
        guard let value, let body = body(value, PlanKeys.Answered.self) else { return nil }
        switch (body[.retention], body[.frequency]) {
        case (let retention?, nil): return self.retention(retention)
        case (nil, let frequency?): return self.frequency(frequency)
        default:
            return problems.refuse(value, "a device answers exactly one of 'retention' and 'frequency'")
        }
    }

    private mutating func retention(_ value: PlanValue) -> DeviceAnswer? {
        guard let body = body(value, PlanKeys.Retention.self) else { return nil }
        let events = eventNames(body[.of])
        let weeks = integer(body[.weeks], 1...Self.mostWeeks)
        guard let events, let weeks else { return nil }
        return .retention(of: events, weeks: weeks)
    }

    private mutating func frequency(_ value: PlanValue) -> DeviceAnswer? {
        guard let body = body(value, PlanKeys.Frequency.self) else { return nil }
        let events = eventNames(body[.of])
        let period: AnswerPeriod? = choice(body[.per])
        guard let edges = ascending(body[.bands]), let events, period != nil else { return nil }
        let bands = edges.compactMap { Int(exactly: $0) }
        guard bands.count == edges.count, bands[0] >= 1 else {
            return problems.refuse(
                body[.bands], "whole numbers of events from 1 are allowed, such as [1, 2, 5]")
        }
        return .frequency(of: events, bands: bands)
    }
}
