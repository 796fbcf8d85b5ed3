package import ThrongWire

/// Which events a metric counts, as far as anybody knows, when, and of which clients.
///
/// Two metrics are tied where what one counts is all among what the other does: then their numbers speak of the same
/// happenings. Two that overlap speak of some, together with a third. They are told apart by what happened, not by the metric's
/// name, which a plan may change.
package struct CountedEvents: Sendable, Hashable {
    /// All of them; nil where the plan that named them is gone. Such a metric may count anything.
    package let happenings: Set<Happening>?
    /// Those of them that were counted before the period was over. What comes later is little.
    package let onTime: Set<Happening>?
    /// What it counted under each of its plans, as if under that one all of the time. One, unless the plan was edited.
    package let versions: Set<Set<Happening>>
    /// Who sends them, as the last of its plans has it.
    package let audience: Audience
    /// Which of the events it tells apart by a dimension of their names; none where it has no such dimension. Each of these
    /// it counts as if in a metric of its own.
    package let kinds: Set<Set<EventName>>
    /// When its stretches begin, by number. The first reaches back as far as anybody counted, the last goes on; none where
    /// there is one stretch only.
    package let starts: [UnixSeconds]

    /// One kind of event, of one kind of client, in a stretch of time in which no plan was edited.
    package struct Happening: Sendable, Hashable {
        /// Its name.
        package let event: EventName
        /// Who sends it.
        package let client: Client
        /// Which of the stretches that are told apart; 0 where there is one.
        package let stretch: Int
    }

    /// The clients of a purpose. Purposes that ask for the same consent and obey the same signals have the same.
    package enum Audience: Sendable, Hashable {
        /// Whoever is asked so and says so.
        case terms(needsConsent: Bool, refusedBy: Set<OptOutSignal>)
        /// Those of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Clients that every purpose treats alike.
    package enum Client: Sendable, Hashable {
        /// Bit 0: they consent where they are asked. Bit i + 1: they send signal i.
        case answers(UInt8)
        /// Those of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Names events that were counted all of the time, and who sends them.
    ///
    /// - Parameter kinds: those of them that it tells apart.
    package init(names: Set<EventName>?, audience: Audience, kinds: Set<Set<EventName>> = []) {
        let all = names.map { names in
            Set(
                names.flatMap { name in
                    audience.clients.map { Happening(event: name, client: $0, stretch: 0) }
                })
        }
        self.init(happenings: all, onTime: all, versions: all.map { [$0] } ?? [], audience: audience, kinds: kinds)
    }

    init(
        happenings: Set<Happening>?, onTime: Set<Happening>?, versions: Set<Set<Happening>>, audience: Audience,
        kinds: Set<Set<EventName>>, starts: [UnixSeconds] = []
    ) {
        self.happenings = happenings
        self.onTime = onTime
        self.versions = versions
        self.audience = audience
        self.kinds = kinds
        self.starts = starts
    }

    /// The events by name; nil where nobody knows them, or they were not the same all of the time.
    package var names: Set<EventName>? {
        guard versions.count == 1 else { return nil }
        return versions.first.map { Set($0.map(\.event)) }
    }

    /// Every event that it counted at any time.
    package var everyName: Set<EventName> { Set((happenings ?? []).map(\.event)) }

    /// As much of it as has these names.
    package func restricted(to names: Set<EventName>) -> CountedEvents {
        func part(_ all: Set<Happening>) -> Set<Happening> { all.filter { names.contains($0.event) } }
        return CountedEvents(
            happenings: happenings.map(part), onTime: onTime.map(part),
            versions: Set(versions.map(part)).subtracting([[]]), audience: audience, kinds: [], starts: starts)
    }

    /// Whether something is counted by both, or may be.
    package func overlaps(_ other: CountedEvents) -> Bool {
        guard let mine = happenings, let its = other.happenings else { return audience == other.audience }
        return !mine.isDisjoint(with: its) || isAlmostTied(to: other)
    }

    /// Whether what one counts is all among what the other does, or may be; or a kind that one of them tells apart.
    package func isTied(to other: CountedEvents) -> Bool {
        guard happenings != nil, other.happenings != nil else { return audience == other.audience }
        if kinds.isEmpty && other.kinds.isEmpty { return isNested(with: other) }
        guard !everyName.isDisjoint(with: other.everyName) else { return false }
        let mine = [self] + kinds.map { restricted(to: $0) }
        let its = [other] + other.kinds.map { other.restricted(to: $0) }
        return mine.contains { one in its.contains { one.isNested(with: $0) } }
    }

    private func isNested(with other: CountedEvents) -> Bool {
        Self.areNested(happenings, other.happenings) || Self.areNested(onTime, other.onTime)
            || isAlmostTied(to: other)
    }

    /// Whether one plan of the one and one of the other name events that are all the other's: had they been in force all
    /// of the time, the two would be tied.
    package func isAlmostTied(to other: CountedEvents) -> Bool {
        versions.contains { mine in other.versions.contains { Self.areNested(mine, $0) } }
    }

    private static func areNested(_ mine: Set<Happening>?, _ other: Set<Happening>?) -> Bool {
        guard let mine, let other, !mine.isEmpty, !other.isEmpty else { return false }
        return mine.isSubset(of: other) || other.isSubset(of: mine)
    }
}

extension CountedEvents.Audience {
    /// The clients that count.
    ///
    /// Whoever consents for one purpose is taken to consent for all, so that of two purposes the one that asks for less has
    /// all clients of the other, and what it has besides are those who refused.
    var clients: [CountedEvents.Client] {
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
