extension PlanReader {
    static var mostWeeks: Int { 52 }

    private enum AnswerPeriod: String, CaseIterable { case week }

    /// Reads a metric's `answered`; what it says of other parts is checked once these are known.
    mutating func answered(_ node: YAMLNode, _ subject: String) -> DeviceAnswer? {
        guard let body: PlanBody<PlanKeys.Answered> = body(of: node, subject, at: node.place) else { return nil }
        switch (body[.retention], body[.frequency]) {
        case (let node?, nil): return retention(node, body.subject(.retention))
        case (nil, let node?): return frequency(node, body.subject(.frequency))
        default:
            return problems.refuse(
                node.place, "\(subject): a device answers exactly one of 'retention' and 'frequency'")
        }
    }

    private mutating func retention(_ node: YAMLNode, _ subject: String) -> DeviceAnswer? {
        guard let body: PlanBody<PlanKeys.Retention> = body(of: node, subject, at: node.place) else { return nil }
        let events = body[.of].flatMap { eventNames($0, body.subject(.of)) }
        let weeks = integer(.weeks, in: body, 1...Self.mostWeeks)
        guard let events, let weeks else { return nil }
        return .retention(of: events, weeks: weeks)
    }

    private mutating func frequency(_ node: YAMLNode, _ subject: String) -> DeviceAnswer? {
        guard let body: PlanBody<PlanKeys.Frequency> = body(of: node, subject, at: node.place) else { return nil }
        let events = body[.of].flatMap { eventNames($0, body.subject(.of)) }
        let period: AnswerPeriod? = choice(.per, in: body)
        let edges = body[.bands].flatMap { ascending($0, body.subject(.bands)) }
        guard let events, period != nil, let edges, let place = body[.bands]?.place else { return nil }
        let bands = edges.compactMap { Int(exactly: $0) }
        guard bands.count == edges.count, bands[0] >= 1 else {
            return problems.refuse(
                place, "\(body.subject(.bands)): whole numbers of events from 1 are allowed, such as [1, 2, 5]")
        }
        return .frequency(of: events, bands: bands)
    }
}
