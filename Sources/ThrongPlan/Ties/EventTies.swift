/// Which metrics of an app are tied by the events that they count, as far as the plan in force says.
package struct EventTies: Sendable {
    private var known: [MetricName: CountedEvents]
    private let audiences: [PurposeName: CountedEvents.Audience]
    /// The plan's metrics with a margin.
    private let margined: Set<MetricName>

    /// Reads a plan. Metrics with a margin are left out: their numbers are no equations, and the plan's reader keeps their
    /// events from exact metrics.
    package init(_ plan: Plan) {
        var audiences: [PurposeName: CountedEvents.Audience] = [:]
        for purpose in plan.purposes {
            audiences[purpose.name] = plan.audience(of: purpose.name)
        }
        self.audiences = audiences
        margined = Set(plan.metrics.filter { $0.margin != nil }.map(\.name))
        var known: [MetricName: CountedEvents] = [:]
        for metric in plan.metrics where metric.margin == nil {
            known[metric.name] = plan.counted(by: metric)
        }
        self.known = known
    }

    /// The same where what was counted in a stretch of time is known from when it was counted.
    ///
    /// Metrics of which nobody kept anything count what this plan says, all of the time. Those that had a margin in any part of it
    /// are left out, too.
    package func during(_ history: TermsHistory) -> EventTies {
        var ties = self
        for (metric, counted) in known where history.counted(by: metric) == nil {
            ties.known[metric] = history.throughout(counted)
        }
        let margined = margined.union(history.margined)
        for metric in history.metrics { ties.known[metric] = history.counted(by: metric) }
        for metric in margined { ties.known[metric] = nil }
        return ties
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
        return Self.closure(of: own, in: all, but: metric) { $0.isTied(to: $1) }
    }

    /// The metrics that count some of the same events as one, directly or through others, itself left out: from the numbers of
    /// them together more can be computed than from those that are tied.
    ///
    /// - Parameter others: metrics that the plan no longer has and that published something.
    package func metrics(
        overlapping metric: MetricName, counting own: CountedEvents, others: [MetricName: CountedEvents] = [:]
    ) -> Set<MetricName> {
        let all = known.merging(others) { planned, _ in planned }
        return Self.closure(of: own, in: all, but: metric) { $0.overlaps($1) }
    }

    private static func closure(
        of own: CountedEvents, in all: [MetricName: CountedEvents], but metric: MetricName,
        _ areLinked: (CountedEvents, CountedEvents) -> Bool
    ) -> Set<MetricName> {
        var found: Set<MetricName> = []
        var waiting = [own]
        while let next = waiting.popLast() {
            for (name, counted) in all where name != metric && !found.contains(name) && areLinked(counted, next) {
                found.insert(name)
                waiting.append(counted)
            }
        }
        return found
    }
}

extension Plan {
    /// What a metric counts, and of whom.
    package func counted(by metric: Metric) -> CountedEvents {
        let events = Set(metric.countingEvents)
        return CountedEvents(
            names: events, audience: audience(of: metric.purpose),
            kinds: CountedEvents.kinds(of: events, by: origins(of: metric).values))
    }

    fileprivate func audience(of name: PurposeName) -> CountedEvents.Audience {
        guard let purpose = purpose(name) else { return .former(name) }
        return .terms(needsConsent: purpose.needsConsent, refusedBy: purpose.refusedBy)
    }

    /// The metrics that count some of the same events as one, directly or through others, itself left out; in the plan's
    /// order.
    package func metrics(tiedTo metric: Metric) -> [Metric] {
        guard metric.margin == nil else { return [] }
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
