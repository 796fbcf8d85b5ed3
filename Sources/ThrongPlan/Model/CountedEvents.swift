package import ThrongWire

/// The events that a metric counts, when, and of which clients, whatever the metric is called.
package struct CountedEvents: Sendable, Hashable {
    /// All of the events; nil if the plan that named them is gone. Such a metric may count anything.
    package let happenings: Set<Happening>?
    /// The clients that send them, as the last of its plans has it.
    package let audience: Audience
    /// The starts of the stretches; none if there is only one. The first reaches back, the last goes on.
    package let starts: [UnixSeconds]

    /// One kind of event, of one kind of client, in a stretch of time in which no plan was edited.
    package struct Happening: Sendable, Hashable {
        package let event: EventName
        package let client: Client
        /// The number of the stretch; 0 if there is only one.
        package let stretch: Int
    }

    /// The clients of a purpose. Purposes with the same consent and the same signals have the same clients.
    package enum Audience: Sendable, Hashable {
        /// Clients by the consent that the purpose needs and the signals that refuse it.
        case terms(needsConsent: Bool, refusedBy: Set<OptOutSignal>)
        /// The clients of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Clients that every purpose treats alike.
    package enum Client: Sendable, Hashable {
        /// Bit 0: they consent where they are asked. Bit i + 1: they send signal i.
        case answers(UInt8)
        /// The clients of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Creates the events by names that were counted all of the time, and by who sends them.
    package init(names: Set<EventName>?, audience: Audience) {
        let all = names?.flatMap { name in audience.clients.map { Happening(event: name, client: $0, stretch: 0) } }
        self.init(happenings: all.map { Set($0) }, audience: audience)
    }

    init(happenings: Set<Happening>?, audience: Audience, starts: [UnixSeconds] = []) {
        self.happenings = happenings
        self.audience = audience
        self.starts = starts
    }

    /// The events by name; nil if nobody knows them, or if they were not the same all of the time.
    package var names: Set<EventName>? {
        guard let happenings else { return nil }
        let named = Set(Dictionary(grouping: happenings, by: \.stretch).values.map { Set($0.map(\.event)) })
        return named.count > 1 ? nil : named.first ?? []
    }

    /// True if something is counted by both, or may be.
    package func overlaps(_ other: CountedEvents) -> Bool {
        guard let mine = happenings, let its = other.happenings else { return audience == other.audience }
        return !mine.isDisjoint(with: its)
    }
}

extension CountedEvents.Audience {
    /// The clients that count. One that consents for a purpose is taken to consent for all, so that the purpose that
    /// asks for less has all clients of the other.
    fileprivate var clients: [CountedEvents.Client] {
        switch self {
        case .former(let purpose):
            return [.former(purpose)]
        case .terms(let needsConsent, let refusedBy):
            let signals = OptOutSignal.allCases
            return (0..<UInt8(2 << signals.count)).filter { answer in
                (!needsConsent || answer & 1 == 1)
                    && signals.enumerated().allSatisfy { place, signal in
                        !refusedBy.contains(signal) || answer >> UInt8(place + 1) & 1 == 0
                    }
            }.map { .answers($0) }
        }
    }
}

extension Plan {
    package func counted(by metric: Metric) -> CountedEvents {
        CountedEvents(names: Set(metric.countingEvents), audience: audience(of: metric.purpose))
    }

    private func audience(of name: PurposeName) -> CountedEvents.Audience {
        guard let purpose = purpose(name) else { return .former(name) }
        return .terms(needsConsent: purpose.needsConsent, refusedBy: purpose.refusedBy)
    }
}
