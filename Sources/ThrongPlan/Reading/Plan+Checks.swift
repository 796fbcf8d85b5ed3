extension Plan {
    /// Finds what is wrong with several parts together; each is right by itself.
    func problems() -> [PlanProblem] {
        let ofPurposes = purposes.flatMap { purpose in
            (childrenProblems(purpose) + transportProblems(purpose)).map {
                places.problem(on: .purpose, purpose.name, $0)
            }
        }
        let ofDimensions = dimensions.flatMap { dimension in
            revealedProblems(dimension).map { places.problem(on: .dimension, dimension.name, $0) }
        }
        let ofMetrics = metrics.indices.flatMap { place in
            let metric = metrics[place]
            let margins = marginProblems(metric, beside: metrics[..<place])
            return problems(metric, margins).map { places.problem(on: .metric, metric.name, $0) }
        }
        let ofApp = appProblems.map { message in
            PlanProblem(file: places.file, line: nil, column: nil, message: "app: \(message)")
        }
        return ofPurposes + ofDimensions + ofMetrics + ofApp + languageProblems()
    }

    @ListBuilder<String> private func problems(_ metric: Metric, _ margins: [String]) -> [String] {
        if let answer = metric.answered {
            eventProblems(metric, answer)
            sourceProblems(metric, answer)
            dimensionProblem(metric, answer)
        }
        margins
        childrenProblems(metric)
        identifierProblems(metric).map { "its purpose '\(metric.purpose)' has 'identifier: none', \($0)" }
        provedFirstsProblems(metric)
        samplingProblem(metric)
        withinProblem(metric)
        networkProblem(metric)
        floorProblem(metric)
    }

    /// Finds problems with the answer's event: it has to be an event of its own, which nothing else means.
    @ListBuilder<String> private func eventProblems(_ metric: Metric, _ answer: DeviceAnswer) -> [String] {
        if metric.events.count > 1 {
            "it counts \(metric.events.count) events; what a device answers ('\(answer.word)') is one event of its "
                + "own, so name one"
        }
        for event in metric.events {
            if answer.events.contains(event) {
                "'\(event)' is the event by which devices answer, and can't be what they answer about; give the answer "
                    + "a name of its own"
            } else if let other = metrics.first(where: { $0.answered != answer && $0.events.contains(event) }) {
                "devices send '\(event)' by themselves, and metric '\(other.name)' counts it as something else; give "
                    + "the answer a name of its own"
            }
        }
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
        return """
            it needs one dimension with 'field: \(answer.field)' and '\(wanted)', as '\(answer.word)' says; \
            \(found.count == 1 ? "'\(found[0].name)' is coarsened otherwise" : state)
            """
    }

    /// The time that a release waits beyond a window's end: for the window to be closed and flushed.
    static var closingSlack: Duration { .seconds(15 * 60) }

    private func withinProblem(_ metric: Metric) -> String? {
        guard let within = metric.within, let rotation = purpose(metric.purpose)?.rotation else { return nil }
        let least = Duration.seconds(2 * rotation.seconds) + Self.closingSlack
        guard app.grace < least else { return nil }
        return "its '\(within.word)' is known when a window is over, 2 rotations of purpose '\(metric.purpose)' after "
            + "it began; a release waits for the app's 'grace' of \(app.grace.planText), and \(least.planText) or more "
            + "is allowed: raise 'grace', or use a purpose that rotates faster"
    }

    /// Finds a metric for which one network can be a crowd by itself, because enough of its identifiers lift floors.
    private func networkProblem(_ metric: Metric) -> String? {
        guard let most = purpose(metric.purpose)?.floorPerNetwork, most >= metric.threshold.devices else { return nil }
        return """
            purpose '\(metric.purpose)' lets \(most) identifiers of one network lift floors, and a number stands for \
            \(metric.threshold.devices) devices; fewer are allowed: lower 'floor_per_network', or raise 'threshold'
            """
    }

    /// Finds a metric that counts an event at another sampling rate than others: devices send it once, at the lowest.
    private func samplingProblem(_ metric: Metric) -> String? {
        for event in metric.events {
            let lower = metrics.first {
                $0.purpose == metric.purpose && $0.events.contains(event) && $0.sampling < metric.sampling
            }
            guard let lower else { continue }
            return "its sampling is \(PlanNumber.text(metric.sampling)), but devices send '\(event)' at the "
                + "\(PlanNumber.text(lower.sampling)) of metric '\(lower.name)'; give both the same rate"
        }
        return nil
    }

    /// Finds a metric of proved devices beside one of all devices for the same events: both ask one question, whose
    /// noise is the same, so that their difference would tell of the few devices without proof.
    private func floorProblem(_ metric: Metric) -> String? {
        guard purpose(metric.purpose)?.needsProof == true else { return nil }
        let counted = counted(by: metric)
        let other = metrics.first { purpose($0.purpose)?.needsProof != true && self.counted(by: $0).overlaps(counted) }
        return other.map {
            """
            its purpose '\(metric.purpose)' has 'floor: attested', and metric '\($0.name)' of purpose '\($0.purpose)' \
            counts some of the same events with 'floor: any'; give both purposes the same floor, or count other events
            """
        }
    }

    /// Returns what a metric asks that nobody can know without identifiers.
    @ListBuilder<String> private func identifierProblems(_ metric: Metric) -> [String] {
        let isBlind = purpose(metric.purpose)?.hasIdentifiers == false
        if isBlind, metric.reach { "so devices can't be counted; leave 'reach' out, or write 'identifier: rotating'" }
        if isBlind, let revealed = metric.dimensions.first(where: { dimension($0)?.isRevealed == true }) {
            "so nobody knows how many devices sent a value of dimension '\(revealed)' before it is learned; leave the "
                + "dimension out, or write 'identifier: rotating'"
        }
        if isBlind, let within = metric.within {
            "so nobody knows what one device did within a window; leave '\(within.word)' out, or write 'identifier: "
                + "rotating'"
        }
        if isBlind, let answer = metric.answered {
            "and for '\(answer.word)' a device would have to remember what it did for weeks; leave 'answered' out, or "
                + "write 'identifier: rotating'"
        }
    }
}
