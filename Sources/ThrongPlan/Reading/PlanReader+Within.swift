extension PlanReader {
    static var mostSteps: Int { 16 }
    /// Most bands of a frequency, and where the last one may begin.
    private static var mostBands: Int { 32 }
    private static var highestBand: Int { 10_000 }
    /// Most cells of a metric that counts identifiers: the result of a window is one record.
    private static var mostWindowCells: Int { 100_000 }

    /// Reads `frequency` or `funnel` among a metric's measures; nil if it has none, or one that can't be read.
    mutating func within(
        in measures: PlanBody<PlanKeys.Measures>, of metric: PlanBody<PlanKeys.Metric>
    ) -> WindowMeasure? {
        switch (measures[.frequency], measures[.funnel]) {
        case (nil, nil):
            return nil
        case (let node?, nil):
            refuseBeside("frequency", in: measures, of: metric)
            return times(node, measures.subject(.frequency))
        case (nil, let node?):
            refuseBeside("funnel", in: measures, of: metric)
            return funnel(node, measures.subject(.funnel), in: metric)
        case (_, let node?):
            return problems.refuse(
                node.place,
                "\(measures.subject(.funnel)) stands beside 'frequency'; a metric has one of them: make two metrics")
        }
    }

    /// Notes what has no meaning for a metric that counts identifiers.
    private mutating func refuseBeside(
        _ word: String, in measures: PlanBody<PlanKeys.Measures>, of metric: PlanBody<PlanKeys.Metric>
    ) {
        func problem(_ subject: String, _ place: YAMLNode.Place?, _ reason: String) {
            problems.add(place, "\(subject) stands beside '\(word)', \(reason): leave it out, or make two metrics")
        }
        let counts = "which counts identifiers, not events"
        for key in [PlanKeys.Measures.sums, .histogram, .reach] where measures[key] != nil {
            problem(measures.subject(key), measures[key]?.place, counts)
        }
        let once = "which counts each identifier once a window"
        let reasons: [(key: PlanKeys.Metric, reason: String)] = [
            (.contributionBound, once),
            (.sampling, "which would look at some events of an identifier only"),
            (.answered, "which the daemon works out, not the device"),
            (.impossible, "which refuses no events"),
        ]
        for (key, reason) in reasons where metric[key] != nil {
            problem(metric.subject(key), metric[key]?.place, reason)
        }
    }

    private mutating func times(_ node: YAMLNode, _ subject: String) -> WindowMeasure? {
        guard let body: PlanBody<PlanKeys.Times> = body(of: node, subject, at: node.place) else { return nil }
        let name: DimensionName? = body[.name] == nil ? "times" : name(.name, in: body, noun: "dimension")
        let edges = body[.bands].flatMap { ascending($0, body.subject(.bands)) }
        guard let name, let edges, let place = body[.bands]?.place else { return nil }
        let bands = edges.compactMap { Int(exactly: $0) }
        guard bands.count == edges.count, bands.first == 1, (2...Self.mostBands).contains(bands.count),
            bands.allSatisfy({ $0 <= Self.highestBand })
        else {
            return problems.refuse(
                place,
                """
                \(body.subject(.bands)): 2 to \(Self.mostBands) whole numbers of events from 1 to \(Self.highestBand) are \
                allowed, 1 the first, such as [1, 2, 5, 10]
                """)
        }
        return WindowMeasure(name: name, kind: .frequency(bands: bands))
    }

    private mutating func funnel(
        _ node: YAMLNode, _ subject: String, in metric: PlanBody<PlanKeys.Metric>
    ) -> WindowMeasure? {
        guard let body: PlanBody<PlanKeys.Funnel> = body(of: node, subject, at: node.place) else { return nil }
        let name: DimensionName? = body[.name] == nil ? "step" : name(.name, in: body, noun: "dimension")
        guard let name, let nodes = list(.steps, in: body) else { return nil }
        guard (2...Self.mostSteps).contains(nodes.count) else {
            return problems.refuse(
                body[.steps]?.place,
                "\(body.subject(.steps)) lists \(nodes.count); 2 to \(Self.mostSteps) steps are allowed")
        }
        let events = scalars(of: metric[.events])
        var steps: [FunnelStep] = []
        for node in nodes {
            guard let step = step(node, body.subject(.steps), among: events) else { continue }
            if steps.contains(where: { $0.title == step.title }) {
                problems.add(
                    node.place, "\(body.subject(.steps)): '\(step.title)' is the title of two steps; rename one")
            }
            steps.append(step)
        }
        guard steps.count == nodes.count else { return nil }
        for event in events where !steps.contains(where: { $0.event.text == event }) {
            problems.add(
                metric[.events]?.place,
                "\(metric.subject(.events)): '\(event)' is no step of the funnel; make it one or leave it out")
        }
        return WindowMeasure(name: name, kind: .funnel(steps: steps))
    }

    private mutating func step(_ node: YAMLNode, _ subject: String, among events: [String]) -> FunnelStep? {
        guard let body: PlanBody<PlanKeys.Step> = body(of: node, subject, at: node.place) else { return nil }
        let title = text(.title, in: body, longest: 64)
        let event: EventName? = body[.event].flatMap {
            reference($0, body.subject(.event), to: "event of this metric", among: events)
        }
        let filters =
            body[.whereBuckets].map {
                self.filters($0, body.subject(.whereBuckets), noun: "dimension", among: baseNames, bands: nil)
            } ?? []
        guard let title, let event else { return nil }
        guard BucketLabel(title).isPrintable, BucketLabel(title) != .other else {
            return problems.refuse(
                body[.title]?.place, "\(body.subject(.title)): \(BucketingProblem.malformedLabel(title))")
        }
        return FunnelStep(title: BucketLabel(title), event: event, filters: filters)
    }

    /// Returns the texts of a list whose problems are noted elsewhere.
    private func scalars(of node: YAMLNode?) -> [String] {
        guard case .sequence(let nodes)? = node?.content else { return [] }
        return nodes.compactMap { node in
            if case .scalar(let text, _) = node.content { text } else { nil }
        }
    }

    /// Notes three kinds of problems with a metric that counts identifiers: dimensions in which one device may be in
    /// two buckets, a name that is taken, and too many cells.
    mutating func checkWithin(
        _ measure: WindowMeasure, dimensions: [DimensionName], in metric: PlanBody<PlanKeys.Metric>
    ) {
        for name in dimensions {
            guard let dimension = self.dimensions.first(where: { $0.name == name }), !dimension.partitionsDevices else {
                continue
            }
            problems.add(
                metric[.dimensions]?.place,
                """
                \(metric.subject(.dimensions)): '\(name)' stands beside '\(measure.word)', which counts each identifier in \
                one bucket; only dimensions with 'partitions: devices' are allowed, because a device is in one bucket of \
                them for all of its window
                """)
        }
        let subject = "\(metric.subject(.measures)): '\(measure.word)'"
        let place = metric[.measures]?.place
        checkColumn(measure.name.text, at: place ?? metric.place, subject)
        if declared[.dimension].contains(measure.name.text) {
            problems.add(place, "\(subject): '\(measure.name)' is the name of a dimension; give it another 'name'")
        }
        let cells = dimensions.reduce(measure.labels.count) { cells, name in
            let (product, overflow) = cells.multipliedReportingOverflow(by: buckets[name]?.count ?? 1)
            return overflow ? .max : product
        }
        if cells > Self.mostWindowCells {
            problems.add(
                metric[.dimensions]?.place,
                """
                \(metric.subject) has \(PlanNumber.text(cells)) cells; \(PlanNumber.text(Self.mostWindowCells)) are allowed \
                beside '\(measure.word)': drop a dimension or coarsen one
                """)
        }
    }
}

// MARK: Insights

extension PlanReader {
    /// Returns true if an insight of this kind can read a metric, and else notes why not. Numbers of identifiers are no
    /// numbers of events.
    mutating func fits(
        _ kind: InsightKind, _ metric: Metric, in body: PlanBody<PlanKeys.Insight>
    ) -> Bool {
        guard metric.within?.word != kind.rawValue else { return true }
        if let within = metric.within {
            problems.add(
                body[.kind]?.place,
                """
                \(body.subject): metric '\(metric.name)' has a '\(within.word)' among its measures and counts identifiers; \
                only 'kind: \(within.word)' is allowed
                """)
            return false
        }
        guard kind == .funnel else { return true }
        problems.add(
            body[.kind]?.place,
            """
            \(body.subject): metric '\(metric.name)' has no 'funnel' among its measures; add one or ask for another kind
            """)
        return false
    }

    /// Returns the dimension of what identifiers did.
    mutating func withinDimension(
        of metric: Metric, in body: PlanBody<PlanKeys.Insight>, by: [DimensionName]
    ) -> DimensionName? {
        if by.count > 1 {
            problems.add(
                body[.by]?.place,
                "\(body.subject(.by)) names \(by.count) dimensions; at most 1 is allowed beside what identifiers did"
            )
        }
        return metric.within?.name
    }
}
