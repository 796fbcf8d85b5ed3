/// Which events a metric counts, as far as anybody knows, and of which clients.
///
/// Two metrics are tied where one's events are all among the other's: then their numbers speak of the same happenings.
package struct CountedEvents: Sendable, Hashable {
    /// By name; nil where the plan that named them is gone. Such a metric may count anything.
    package let names: Set<EventName>?
    /// Who sends them.
    package let audience: Audience

    /// The clients of a purpose. Purposes that ask for the same consent and obey the same signals have the same.
    package enum Audience: Sendable, Hashable {
        /// Whoever is asked so and says so.
        case terms(needsConsent: Bool, refusedBy: Set<OptOutSignal>)
        /// Those of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Names events and who sends them.
    package init(names: Set<EventName>?, audience: Audience) {
        self.names = names
        self.audience = audience
    }

    /// Whether one's events are all among the other's, or may be.
    package func isTied(to other: CountedEvents) -> Bool {
        guard audience == other.audience else { return false }
        guard let mine = names, let its = other.names else { return true }
        return !mine.isEmpty && !its.isEmpty && (mine.isSubset(of: its) || its.isSubset(of: mine))
    }
}
