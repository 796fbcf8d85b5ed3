/// Which metrics of an app are tied by the events that they count, as far as the plan in force says.
package struct EventTies: Sendable {
    private let known: [MetricName: CountedEvents]
    private let audiences: [PurposeName: CountedEvents.Audience]

    /// Reads a plan. Noisy metrics are left out: their numbers are no equations, and the plan's reader keeps their
    /// events from exact metrics.
    package init(_ plan: Plan) {
        var audiences: [PurposeName: CountedEvents.Audience] = [:]
        for purpose in plan.purposes {
            audiences[purpose.name] = .terms(needsConsent: purpose.needsConsent, refusedBy: purpose.refusedBy)
        }
        self.audiences = audiences
        var known: [MetricName: CountedEvents] = [:]
        for metric in plan.metrics where metric.noise == nil {
            known[metric.name] = CountedEvents(
                names: Set(metric.countingEvents), audience: audiences[metric.purpose] ?? .former(metric.purpose))
        }
        self.known = known
    }

    /// What a metric counts.
    ///
    /// - Parameter published: what its last release says that it counted; asked where the plan no longer has the metric.
    package func counted(by metric: MetricName, purpose: PurposeName, published: [EventName]?) -> CountedEvents {
        known[metric]
            ?? CountedEvents(names: published.map { Set($0) }, audience: audiences[purpose] ?? .former(purpose))
    }

    /// The metrics that are tied to one, directly or through others, itself left out.
    ///
    /// - Parameter others: metrics that the plan no longer has and that published something.
    package func metrics(
        tiedTo metric: MetricName, counting own: CountedEvents, others: [MetricName: CountedEvents] = [:]
    ) -> Set<MetricName> {
        let all = known.merging(others) { planned, _ in planned }
        var found: Set<MetricName> = []
        var waiting = [own]
        while let next = waiting.popLast() {
            for (name, counted) in all where name != metric && !found.contains(name) && counted.isTied(to: next) {
                found.insert(name)
                waiting.append(counted)
            }
        }
        return found
    }
}

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

extension Plan {
    /// The metrics that count some of the same events as one, directly or through others, itself left out; in the plan's
    /// order.
    package func metrics(tiedTo metric: Metric) -> [Metric] {
        guard metric.noise == nil else { return [] }
        let ties = EventTies(self)
        let names = ties.metrics(
            tiedTo: metric.name, counting: ties.counted(by: metric.name, purpose: metric.purpose, published: nil))
        return metrics.filter { names.contains($0.name) }
    }

    /// How many devices a published number of a metric stands for: the most that it or any tied metric asks for, because
    /// what one gives away, it gives away for all.
    package func releaseThreshold(of metric: Metric) -> Threshold {
        metrics(tiedTo: metric).map(\.threshold).reduce(metric.threshold, max)
    }

    /// The dimensions of a metric that it or any tied metric calls sensitive.
    package func sensitiveDimensions(of metric: Metric) -> [DimensionName] {
        let all = Set(metrics(tiedTo: metric).flatMap(\.sensitive) + metric.sensitive)
        return cubeDimensions(of: metric).map(\.name).filter { all.contains($0) }
    }
}
