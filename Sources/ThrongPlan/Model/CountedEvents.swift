package import ThrongWire

/// Which events a metric counts, as far as anybody knows, when, and of which clients.
///
/// Two metrics are tied where what one counts is all among what the other does: then their numbers speak of the same
/// happenings. They are told apart by what happened, not by the metric's name, which a plan may change.
package struct CountedEvents: Sendable, Hashable {
    /// All of them; nil where the plan that named them is gone. Such a metric may count anything.
    package let happenings: Set<Happening>?
    /// Those of them that were counted before the period was over. What comes later is little.
    package let onTime: Set<Happening>?
    /// What it counted under each of its plans, as if under that one all of the time. One, unless the plan was edited.
    package let versions: Set<Set<Happening>>
    /// Who sends them, as the last of its plans has it.
    package let audience: Audience

    /// One kind of event, of some clients, in a stretch of time in which no plan was edited.
    package struct Happening: Sendable, Hashable {
        let event: EventName
        let audience: Audience
        /// Which of the stretches that are told apart; 0 where there is one.
        let stretch: Int
    }

    /// The clients of a purpose. Purposes that ask for the same consent and obey the same signals have the same.
    package enum Audience: Sendable, Hashable {
        /// Whoever is asked so and says so.
        case terms(needsConsent: Bool, refusedBy: Set<OptOutSignal>)
        /// Those of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Names events that were counted all of the time, and who sends them.
    package init(names: Set<EventName>?, audience: Audience) {
        let all = names.map { names in
            Set(names.map { Happening(event: $0, audience: audience, stretch: 0) })
        }
        self.init(happenings: all, onTime: all, versions: all.map { [$0] } ?? [], audience: audience)
    }

    init(
        happenings: Set<Happening>?, onTime: Set<Happening>?, versions: Set<Set<Happening>>, audience: Audience
    ) {
        self.happenings = happenings
        self.onTime = onTime
        self.versions = versions
        self.audience = audience
    }

    /// The events by name; nil where nobody knows them, or they were not the same all of the time.
    package var names: Set<EventName>? {
        guard versions.count == 1 else { return nil }
        return versions.first.map { Set($0.map(\.event)) }
    }

    /// Whether what one counts is all among what the other does, or may be.
    package func isTied(to other: CountedEvents) -> Bool {
        guard happenings != nil, other.happenings != nil else { return audience == other.audience }
        return Self.areNested(happenings, other.happenings) || Self.areNested(onTime, other.onTime)
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
