extension Plan {
    func answerProblems() -> [PlanProblem] {
        metrics.flatMap { metric -> [PlanProblem] in
            guard let answer = metric.answered else { return [] }
            return
                (eventProblems(metric, answer) + sourceProblems(metric, answer)
                + [dimensionProblem(metric, answer)].compactMap { $0 })
                .map { places.problem(on: .metric, metric.name, $0) }
        }
    }

    /// Finds problems with the answer's event: it has to be an event of its own, which nothing else means.
    private func eventProblems(_ metric: Metric, _ answer: DeviceAnswer) -> [String] {
        var messages: [String] = []
        if metric.events.count > 1 {
            messages.append(
                """
                it counts \(metric.events.count) events; what a device answers ('\(answer.word)') is one event of its \
                own, so name one
                """)
        }
        for event in metric.events {
            if answer.events.contains(event) {
                messages.append(
                    """
                    '\(event)' is the event by which devices answer, and can't be what they answer about; give the \
                    answer a name of its own
                    """)
            } else if let other = metrics.first(where: { $0.answered != answer && $0.events.contains(event) }) {
                messages.append(
                    """
                    devices send '\(event)' by themselves, and metric '\(other.name)' counts it as something else; \
                    give the answer a name of its own
                    """)
            }
        }
        return messages
    }

    /// Finds events that an answer is about and that its purpose does not record: a device need not combine purposes.
    private func sourceProblems(_ metric: Metric, _ answer: DeviceAnswer) -> [String] {
        let recorded = metrics.filter { $0.purpose == metric.purpose && $0.answered == nil }.flatMap(\.events)
        return answer.events.filter { !recorded.contains($0) && !metric.events.contains($0) }.map { event in
            """
            '\(answer.word)' is of '\(event)', which no metric of purpose '\(metric.purpose)' \
            counts\(NearestName.advice(for: event.text, among: Set(recorded.map(\.text)).sorted(), noun: "events"))
            """
        }
    }

    private func dimensionProblem(_ metric: Metric, _ answer: DeviceAnswer) -> String? {
        let found = cubeDimensions(of: metric).filter { $0.field == answer.field }
        let state = found.isEmpty ? "it has none" : "it has \(found.count)"
        if found.count == 1, found[0].rule == answer.rule { return nil }
        let wanted =
            switch answer {
            case .retention(_, let weeks): "list: [0, 1, … \(weeks)]"
            case .frequency(_, let bands): "bands: [\(bands.map(String.init).joined(separator: ", "))]"
            }
        return
            """
            it needs one dimension with 'field: \(answer.field)' and '\(wanted)', as '\(answer.word)' says; \
            \(found.count == 1 ? "'\(found[0].name)' is coarsened otherwise" : state)
            """
    }

    /// The time that a release waits beyond a window's end: for the window to be closed and flushed.
    static var closingSlack: Duration { .seconds(15 * 60) }

    func withinProblems() -> [PlanProblem] {
        metrics.compactMap { metric -> PlanProblem? in
            guard let within = metric.within, let rotation = purpose(metric.purpose)?.rotation else { return nil }
            let least = Duration.seconds(2 * rotation.seconds) + Self.closingSlack
            guard app.grace < least else { return nil }
            return places.problem(
                on: .metric, metric.name,
                """
                its '\(within.word)' is known when a window is over, 2 rotations of purpose \
                '\(metric.purpose)' after it began; a release waits for the app's 'grace' of \(app.grace.planText), and \
                \(least.planText) or more is allowed: raise 'grace', or use a purpose that rotates faster
                """)
        }
    }

    /// Finds metrics for which one network can be a crowd by itself, because enough of its identifiers lift floors.
    func networkProblems() -> [PlanProblem] {
        metrics.compactMap { metric -> PlanProblem? in
            guard let most = purpose(metric.purpose)?.floorPerNetwork,
                most >= metric.threshold.devices
            else { return nil }
            return places.problem(
                on: .metric, metric.name,
                """
                purpose '\(metric.purpose)' lets \(most) identifiers of one network lift floors, and a \
                number stands for \(metric.threshold.devices) devices; fewer are allowed: lower 'floor_per_network', or raise \
                'threshold'
                """)
        }
    }

    /// Returns advice on a funnel whose first step has `where` and may give somebody away; nil if there is none.
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

    /// Finds metrics that count one event at several sampling rates.
    ///
    /// A device sends an event once for all metrics of a purpose, at the lowest of their rates; the others would be
    /// scaled by a rate at which nobody sent.
    func samplingProblems() -> [PlanProblem] {
        metrics.compactMap { metric in
            for event in metric.events {
                let lower = metrics.first {
                    $0.purpose == metric.purpose && $0.events.contains(event) && $0.sampling < metric.sampling
                }
                guard let lower else { continue }
                return places.problem(
                    on: .metric, metric.name,
                    """
                    its sampling is \(PlanNumber.text(metric.sampling)), but devices send '\(event)' \
                    at the \(PlanNumber.text(lower.sampling)) of metric '\(lower.name)'; give both the same rate
                    """)
            }
            return nil
        }
    }
}
