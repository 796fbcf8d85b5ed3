extension PlanReader {
    static var mostSteps: Int { 16 }
    /// Most bands of a frequency, and where the last one may begin.
    private static var mostBands: Int { 32 }
    private static var highestBand: Int { 10_000 }
    /// Most cells of a metric that counts identifiers: the result of a window is one record.
    private static var mostWindowCells: Int { 100_000 }

    /// Reads `frequency` or `funnel` among a metric's measures; nil if it has none, or one that can't be read.
    mutating func within(
        in measures: PlanBody<PlanKeys.Measures>, of metric: PlanBody<PlanKeys.Metric>, named name: String
    ) -> WindowMeasure? {
        switch (measures[.frequency], measures[.funnel]) {
        case (nil, nil): return nil
        case (let times?, nil):
            refuseBeside("frequency", in: measures, of: metric)
            return self.times(times)
        case (nil, let funnel?):
            refuseBeside("funnel", in: measures, of: metric)
            return self.funnel(funnel, in: metric, named: name)
        case (_, let funnel?):
            return problems.refuse(funnel, it: "stands beside 'frequency'; a metric has one of them: make two metrics")
        }
    }

    /// Notes what has no meaning for a metric that counts identifiers.
    private mutating func refuseBeside(
        _ word: String, in measures: PlanBody<PlanKeys.Measures>, of metric: PlanBody<PlanKeys.Metric>
    ) {
        let (counts, once) = ("counts identifiers, not events", "counts each identifier once a window")
        let reasons = [
            (measures[.sums], counts), (measures[.histogram], counts), (measures[.reach], counts),
            (metric[.contributionBound], once), (metric[.sampling], "would look at some events of an identifier only"),
            (metric[.answered], "the daemon works out, not the device"), (metric[.impossible], "refuses no events"),
        ]
        for (value, reason) in reasons {
            problems.add(value, it: "stands beside '\(word)', which \(reason): leave it out, or make two metrics")
        }
    }

    private mutating func times(_ value: PlanValue) -> WindowMeasure? {
        guard let body = body(value, PlanKeys.Times.self) else { return nil }
        let name: DimensionName? = body[.name] == nil ? "times" : name(body[.name], noun: "dimension")
        guard let edges = ascending(body[.bands]), let name else { return nil }
        let bands = edges.compactMap { Int(exactly: $0) }
        guard bands.count == edges.count, bands.first == 1, (2...Self.mostBands).contains(bands.count),
            bands.allSatisfy({ $0 <= Self.highestBand })
        else {
            return problems.refuse(
                body[.bands],
                "2 to \(Self.mostBands) whole numbers of events from 1 to \(Self.highestBand) are allowed, 1 the "
                    + "first, such as [1, 2, 5, 10]")
        }
        return WindowMeasure(name: name, kind: .frequency(bands: bands))
    }

    private mutating func funnel(
        _ value: PlanValue, in metric: PlanBody<PlanKeys.Metric>, named own: String
    ) -> WindowMeasure? {
        guard let body = body(value, PlanKeys.Funnel.self) else { return nil }
        let name: DimensionName? = body[.name] == nil ? "step" : name(body[.name], noun: "dimension")
        guard let name, let values = list(body[.steps]) else { return nil }
        guard (2...Self.mostSteps).contains(values.count) else {
            return problems.refuse(body[.steps], it: "lists \(values.count); 2 to \(Self.mostSteps) steps are allowed")
        }
        // Problems of the list itself are noted elsewhere.
        let events = (metric[.events]?.elements ?? []).compactMap { event in
            if case .scalar(let text, _) = event.node.content { text } else { nil }
        }
        var steps: [FunnelStep] = []
        for (place, value) in values.enumerated() {
            guard let step = step(value, at: "metrics.\(own).steps.\(place + 1)", among: events) else { continue }
            if steps.contains(where: { $0.title == step.title }) {
                problems.add(value, "'\(step.title)' is the title of two steps; rename one")
            }
            steps.append(step)
        }
        guard steps.count == values.count else { return nil }
        let told = steps.enumerated().map { ($1.title, $1.title.text, "metrics.\(own).steps.\($0 + 1).title") }
        checkAlike(told, in: value)
        for event in events where !steps.contains(where: { $0.event.text == event }) {
            problems.add(metric[.events], "'\(event)' is no step of the funnel; make it one or leave it out")
        }
        return WindowMeasure(name: name, kind: .funnel(steps: steps))
    }

    private mutating func step(_ value: PlanValue, at place: String, among events: [String]) -> FunnelStep? {
        guard let body = body(value, PlanKeys.Step.self) else { return nil }
        let title = words(.title, in: body, of: place, longest: 64)
        let event: EventName? = reference(body[.event], to: "event of this metric", among: events)
        let filters = filters(body[.where], noun: "dimension", among: baseNames, bands: nil)
        guard let title, let event else { return nil }
        guard BucketLabel(title).isPrintable, BucketLabel(title) != .other else {
            return problems.refuse(body[.title], "\(BucketingProblem.malformedLabel(title))")
        }
        return FunnelStep(title: BucketLabel(title), event: event, filters: filters)
    }

    /// Notes dimensions that don't partition devices, a name that is taken, and too many cells.
    mutating func checkWithin(
        _ measure: WindowMeasure, dimensions: [DimensionName], in metric: PlanBody<PlanKeys.Metric>
    ) {
        for name in dimensions {
            guard self.dimensions.contains(where: { $0.name == name && !$0.partitionsDevices }) else { continue }
            problems.add(
                metric[.dimensions],
                """
                '\(name)' stands beside '\(measure.word)', which counts each identifier in one bucket; only dimensions \
                with 'partitions: devices' are allowed, because a device is in one bucket of them for all of its window
                """)
        }
        let subject = "\(metric.subject(.measures)): '\(measure.word)'"
        let place = metric[.measures]?.place ?? metric.place
        checkColumn(measure.name.text, at: place, subject)
        if isDimension(measure.name) {
            problems.add(place, "\(subject): '\(measure.name)' is the name of a dimension; give it another 'name'")
        }
        let cells = dimensions.reduce(measure.labels.count) { cells, name in
            let (product, overflow) = cells.multipliedReportingOverflow(by: buckets[name]?.count ?? 1)
            return overflow ? .max : product
        }
        if cells > Self.mostWindowCells {
            problems.add(
                metric[.dimensions]?.place,
                "\(metric.subject) has \(PlanNumber.text(cells)) cells; \(PlanNumber.text(Self.mostWindowCells)) are "
                    + "allowed beside '\(measure.word)': drop a dimension or coarsen one")
        }
    }

    /// Returns true if an insight's kind can read its metric, and else notes why not.
    mutating func fits(_ asked: Asked) -> Bool {
        let (metric, within) = (asked.metric, asked.metric.within)
        guard within?.word != asked.kind.rawValue, within != nil || asked.kind == .funnel else { return true }
        let reason =
            within.map {
                "has a '\($0.word)' among its measures and counts identifiers; only 'kind: \($0.word)' is allowed"
            } ?? "has no 'funnel' among its measures; add one or ask for another kind"
        problems.add(asked.body[.kind]?.place, "\(asked.body.subject): metric '\(metric.name)' \(reason)")
        return false
    }

    /// Returns the dimension of what identifiers did.
    mutating func withinDimension(of asked: Asked) -> DimensionName? {
        if asked.by.count > 1 {
            problems.add(
                asked.body[.by],
                it: "names \(asked.by.count) dimensions; at most 1 is allowed beside what identifiers did")
        }
        return asked.metric.within?.name
    }

    static var mostWeeks: Int { 52 }

    private enum AnswerPeriod: String, CaseIterable { case week }

    /// Reads a metric's `answered`; what it says of other parts is checked once these are known.
    mutating func answered(_ value: PlanValue?) -> DeviceAnswer? {
        guard let value, let body = body(value, PlanKeys.Answered.self) else { return nil }
        switch (body[.retention], body[.frequency]) {
        case (let retention?, nil): return self.retention(retention)
        case (nil, let frequency?): return self.frequency(frequency)
        default: return problems.refuse(value, "a device answers exactly one of 'retention' and 'frequency'")
        }
    }

    private mutating func retention(_ value: PlanValue) -> DeviceAnswer? {
        guard let body = body(value, PlanKeys.Retention.self) else { return nil }
        let events = eventNames(body[.of])
        let weeks = integer(body[.weeks], 1...Self.mostWeeks)
        guard let events, let weeks else { return nil }
        return .retention(of: events, weeks: weeks)
    }

    private mutating func frequency(_ value: PlanValue) -> DeviceAnswer? {
        guard let body = body(value, PlanKeys.Frequency.self) else { return nil }
        let events = eventNames(body[.of])
        let period: AnswerPeriod? = choice(body[.per])
        guard let edges = ascending(body[.bands]), let events, period != nil else { return nil }
        let bands = edges.compactMap { Int(exactly: $0) }
        guard bands.count == edges.count, bands[0] >= 1 else {
            return problems.refuse(body[.bands], "whole numbers of events from 1 are allowed, such as [1, 2, 5]")
        }
        return .frequency(of: events, bands: bands)
    }
}

extension Plan {
    /// Finds a metric whose numbers can't be drawn, or would tell more together with those of others than by themselves.
    ///
    /// - Parameter others: the metrics before it in the plan.
    func marginProblems(_ metric: Metric, beside others: ArraySlice<Metric>) -> [String] {
        var messages: [String] = []
        do { try checkDraws(of: metric) } catch { messages.append("nothing can be drawn for it: \(error)") }
        if metric.choosesBound, frequency(telling: metric) == nil { messages.append(untold(metric)) }
        let counted = counted(by: metric)
        let overlapping = others.filter { self.counted(by: $0).overlaps(counted) }
        let differences = overlapping.compactMap { difference(of: metric, from: $0) }
        return messages + [differences.first ?? clip(of: metric, beside: [metric] + overlapping)].compactMap { $0 }
    }

    /// Says why nothing tells the bound of a metric whose releases choose it, and what would.
    private func untold(_ metric: Metric) -> String {
        let hindrances = [
            (purpose(metric.purpose)?.hasIdentifiers == false, "of a purpose with 'identifier: none'"),
            (metric.answered != nil, "with 'answered'"), (metric.sampling < 1, "with 'sampling'"),
            (!metric.impossible.isEmpty, "with 'impossible'"),
        ]
        let bands = ([1] + Metric.boundRungs.map { $0 + 1 }).map(String.init).joined(separator: ", ")
        return "'contribution_bound: auto' follows a frequency of the same events and purpose, and "
            + (hindrances.first(where: \.0).map { "none tells what adds to a metric \($0.1); give a number" }
                ?? "there is none that is released in total; add a metric with 'measures: {frequency: {bands: "
                + "[\(bands)]}}', or give a number")
    }

    /// Finds a difference between two metrics that would tell of few devices: other bounds, or a field that partitions
    /// devices in one of them only.
    private func difference(of metric: Metric, from other: Metric) -> String? {
        func bound(_ metric: Metric) -> String {
            guard metric.choosesBound else { return PlanNumber.text(metric.contributionBound) }
            return "auto\(frequency(telling: metric).map { " by '\($0.name)'" } ?? "")"
        }
        if metric.within == nil, other.within == nil, bound(metric) != bound(other) {
            return """
                its contribution_bound is \(bound(metric)), and metric '\(other.name)' counts some of the same events up to \
                \(bound(other)): their difference would tell of the few devices in between; give both the same
                """
        }
        for dimension in cubeDimensions(of: metric) where metric.within?.name != dimension.name {
            let same = cubeDimensions(of: other).first {
                $0.field == dimension.field && $0.partitionsDevices != dimension.partitionsDevices
                    && other.within?.name != $0.name
            }
            guard let same else { continue }
            return "dimensions '\(dimension.name)' and '\(same.name)' of metric '\(other.name)' read the same field of "
                + "the same events, and only one of them has 'partitions: devices'; give it to both or to none"
        }
        return nil
    }

    /// Finds two sums of one field that are clipped otherwise: their difference is about what lies in between.
    private func clip(of metric: Metric, beside others: [Metric]) -> String? {
        for sum in metric.sums {
            for other in others {
                let same = other.sums.first {
                    $0.field == sum.field
                        && ($0.lowest, $0.highest, $0.decimals) != (sum.lowest, sum.highest, sum.decimals)
                }
                guard let same else { continue }
                return """
                    its sum '\(sum.name)' adds up the same field as '\(same.name)' of metric '\(other.name)' and clips it otherwise: \
                    both together would tell what lies in between; give both the same 'from', 'to' and 'decimals'
                    """
            }
        }
        return nil
    }
}
