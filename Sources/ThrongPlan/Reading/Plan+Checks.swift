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

    /// True if a purpose counts people who are children, or of whom nobody knows that they are not.
    package func countsChildren(_ purpose: Purpose) -> Bool {
        switch app.directedTo {
        case .general: false
        case .children: true
        case .mixed: !purpose.refusedBy.contains(.ageSignal)
        }
    }

    /// The longest life of a child's identifier.
    package static let rotationForChildren = Rotation(seconds: 3600)

    func childrenProblems(_ purpose: Purpose) -> [String] {
        countsChildren(purpose) ? countingProblems(purpose) : adultProblems(purpose)
    }

    /// The other way out for a plan for a mixed audience, as the end of a sentence; empty for other plans.
    private var wayOut: String { app.directedTo == .mixed ? ", or give the purpose 'refused_by: [age_signal]'" : "" }

    @ListBuilder<String> private func countingProblems(_ purpose: Purpose) -> [String] {
        switch purpose.use {
        case nil:
            let allowed = PurposeUse.allCases.filter { $0 != .marketing }.map(\.rawValue).joined(separator: ", ")
            "it counts children and does not say what for; add 'use', which may be \(allowed)\(wayOut)"
        case .marketing: "'use' is marketing, for which children are not counted\(wayOut)"
        default: []
        }
        if purpose.refusedBy.contains(.ageSignal) {
            "'refused_by' has age_signal, which would refuse everybody in an app that is directed to children; leave "
                + "it out, or write 'directed_to: mixed'"
        }
        if purpose.needsConsent, !purpose.needsParent {
            "'consent' is required, but a child can't give it alone; write 'consent: parent', or not_required where "
                + "nobody has to be asked\(wayOut)"
        }
        if purpose.rotation > Self.rotationForChildren {
            """
            'rotation' is \(Duration.seconds(purpose.rotation.seconds).planText); at most \
            \(Duration.seconds(Self.rotationForChildren.seconds).planText) is allowed where children are counted\(wayOut)
            """
        }
    }

    @ListBuilder<String> private func adultProblems(_ purpose: Purpose) -> [String] {
        if purpose.needsParent, app.directedTo == .mixed {
            "'consent' is parent, but children are not counted, as 'refused_by' has age_signal; write 'consent: required'"
        } else if purpose.needsParent {
            "'consent' is parent, but the app is not directed to children; write 'consent: required', or give the app "
                + "'directed_to: children' or mixed"
        }
    }

    func childrenProblems(_ metric: Metric) -> [String] {
        purpose(metric.purpose).map(countsChildren) == true ? countingProblems(metric) : []
    }

    @ListBuilder<String> private func countingProblems(_ metric: Metric) -> [String] {
        // An app that is directed to children has such a threshold to begin with.
        if metric.threshold < .forChildren, app.directedTo == .mixed {
            "its threshold is \(metric.threshold.devices) devices; at least \(Threshold.forChildren.devices) are "
                + "needed where children are counted\(wayOut)"
        }
        if let name = metric.dimensions.first(where: { dimension($0)?.isRevealed ?? false }) {
            "'\(name)' learns values that nobody has listed, which is not allowed where children are counted; leave it "
                + "out\(wayOut)"
        }
        if metric.countsFirsts || metric.provesFirsts {
            """
            with 'reach: \(metric.countsFirsts ? "client" : "attested")' a device is known again after a launch, which is not allowed where children are counted; \
            write 'reach: true'\(wayOut)
            """
        }
        if metric.answered != nil {
            "with 'answered' a device is known again after a launch, which is not allowed where children are counted; "
                + "leave the metric out\(wayOut)"
        }
    }

    /// Returns the k of a learned value: the highest threshold of the metrics that use the dimension.
    package func revealThreshold(of dimension: DimensionName) -> Threshold {
        metrics.filter { $0.dimensions.contains(dimension) }.map(\.threshold).max() ?? app.threshold
    }

    @ListBuilder<String> func revealedProblems(_ dimension: Dimension) -> [String] {
        let others = dimensions.filter { $0.field == dimension.field && $0.name != dimension.name }.map(\.name.text)
        let measures = metrics.flatMap { metric -> [String] in
            let sums = metric.sums.filter { $0.field == dimension.field }.map(\.name)
            guard let histogram = metric.histogram, histogram.field == dimension.field else { return sums }
            return sums + [histogram.name.text]
        }
        if dimension.isRevealed, let other = (others + measures).first {
            "devices send hashes in its field '\(dimension.field)', of which '\(other)' could make nothing; give one "
                + "of them a field of its own"
        }
        let first = metrics.first { ($0.countsFirsts || $0.provesFirsts) && $0.dimensions.contains(dimension.name) }
        if dimension.isRevealed, let first {
            """
            metric '\(first.name)' has 'reach: \(first.countsFirsts ? "client" : "attested")', but a device can't know in which \
            bucket a value is counted, and so not what is its first; leave the dimension out or write 'reach: true'
            """
        }
    }

    /// Returns advice on dimensions whose windows are so short that few values will ever be learned.
    func revealedAdvice() -> [PlanProblem] {
        dimensions.filter(\.isRevealed).compactMap { dimension in
            let users = Set(metrics.filter { $0.dimensions.contains(dimension.name) }.map(\.purpose))
            guard let purpose = purposes.first(where: { users.contains($0.name) && $0.rotation < .longest }) else {
                return nil
            }
            return places.advice(
                on: .dimension, dimension.name,
                """
                learns a value once \(revealThreshold(of: dimension.name).devices) \
                devices have sent it within one window; purpose '\(purpose.name)' has windows of \
                \(Duration.seconds(purpose.rotation.seconds).planText), with about \
                \(PlanNumber.text(devices(in: purpose.rotation))) devices each: rarer values will stay 'other'
                """)
        }
    }

    /// Finds a relay through which nothing goes, and an evaluator of nothing.
    @ListBuilder<String> var appProblems: [String] {
        if app.relay != nil, relayed.isEmpty {
            "'relay' is there and no purpose goes through it; delete it, or write 'transport: oblivious' in a purpose"
        }
        if app.evaluator != nil, !dimensions.contains(where: \.isRevealed) {
            "'evaluator' is there and no dimension is revealed, so that there is nothing to evaluate; delete it, or "
                + "let a dimension have 'revealed: {most: 100}'"
        }
    }

    @ListBuilder<String> func transportProblems(_ purpose: Purpose) -> [String] {
        if app.relay == nil, purpose.transport == .oblivious {
            "'transport' is oblivious and the app names no relay to go through; add 'relay: https://HOST' to the app, "
                + "or write 'transport: direct'"
        }
    }

    func evaluatorAdvice() -> [PlanProblem] {
        guard app.evaluator != nil else { return [] }
        return dimensions.filter(\.isRevealed).map { dimension in
            places.advice(
                on: .dimension, dimension.name,
                "takes evaluated hashes alone, which apps with the Swift SDK and its ValueBlinder make; web pages and "
                    + "other clients can't, and what they count there is 'other'")
        }
    }

    // MARK: In words

    /// The names of purposes that go through the relay, in the plan's order.
    private var relayed: String { purposes.filter { $0.transport == .oblivious }.map(\.name.text).listed }

    /// A text about the effect of the relay; nil if the app has none.
    var transportText: String? {
        guard let relay = app.relay else { return nil }
        return "The client seals what it sends for \(relayed) (RFC 9458) and sends it through the relay \(relay.host); "
            + "the daemon refuses what comes directly. So nobody here learns an address, as long as the relay belongs "
            + "to somebody else and its records are not put together with the daemon's."
    }

    var hidingText: String {
        guard let evaluator = app.evaluator else { return "The hash hides a value from whoever does not guess it." }
        return "The client has each value evaluated by \(evaluator.url.host), which learns nothing of it (RFC 9497), "
            + "before it hashes it: without asking there nobody can try out guesses, as long as the evaluator belongs "
            + "to somebody else. Plain hashes are looked at no further."
    }
}
