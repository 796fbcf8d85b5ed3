extension Plan {
    /// What a release waits for beyond a window's end: for the window to be closed and flushed.
    static var closingSlack: Duration { .seconds(15 * 60) }

    /// What is wrong with metrics that count identifiers, in a plan whose parts are each right.
    func withinProblems() -> [PlanProblem] {
        metrics.compactMap { metric -> PlanProblem? in
            guard let within = metric.within, let rotation = purpose(metric.purpose)?.rotation else { return nil }
            let least = Duration.seconds(2 * rotation.seconds) + Self.closingSlack
            guard app.grace < least else { return nil }
            return places.advice(
                on: .metric, named: metric.name.text,
                """
                metric '\(metric.name)': its '\(within.word)' is known when a window is over, 2 rotations of purpose \
                '\(metric.purpose)' after it began; a release waits for the app's 'grace' of \(app.grace.planText), and \
                \(least.planText) or more is allowed: raise 'grace', or use a purpose that rotates faster
                """
            )
        }
    }

    /// Whom a step with `where` may give away.
    func stepAdvice(_ metric: Metric) -> String? {
        guard let first = metric.steps.first, !first.filters.isEmpty,
            let other = metrics.first(where: { other in
                other.within == nil && other.events.contains(first.event)
                    && first.filters.contains { other.dimensions.contains($0.dimension) }
            })
        else { return nil }
        return
            """
            begins with '\(first.event)' in one bucket, by which metric '\(other.name)' is split: what that publishes of \
            the bucket bounds who began here, and releases are not decided against it
            """
    }

    /// The fields of an event by which funnels tell their steps.
    func stepFields(of metric: Metric, event: EventName? = nil) -> Set<FieldName> {
        let steps = metric.steps.filter { event == nil || $0.event == event }
        let fields = steps.flatMap(\.filters).compactMap { dimension($0.dimension)?.field }
        return Set(fields).subtracting([FieldName.time, .event])
    }
}
