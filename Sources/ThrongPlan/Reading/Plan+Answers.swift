extension Plan {
    /// What is wrong with what devices are asked to answer, in a plan whose parts are each right.
    func answerProblems() -> [PlanProblem] {
        metrics.flatMap { metric -> [PlanProblem] in
            guard let answer = metric.answered else { return [] }
            return
                (eventProblems(metric, answer) + sourceProblems(metric, answer)
                + [dimensionProblem(metric, answer)].compactMap { $0 })
                .map { places.advice(on: .metric, named: metric.name.text, "metric '\(metric.name)': \($0)") }
        }
    }

    /// The answer is an event of its own, which nothing else means.
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

    /// What it is about is recorded under the same purpose, so that a device need not put purposes together.
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
}
