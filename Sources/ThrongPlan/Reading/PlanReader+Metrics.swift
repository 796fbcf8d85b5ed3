extension PlanReader {
    static var mostCells: Int { 1_000_000 }
    /// Most dimensions of one metric's cube, its histogram included.
    static var mostDimensions: Int { 8 }

    mutating func readMetric(_ part: Part) {
        guard let body: PlanBody<PlanKeys.Metric> = body(of: part, .metric) else { return }
        let title = words(.title, in: body, of: "metrics.\(part.name)")
        let events = body[.events].flatMap { eventNames($0, body.subject(.events)) }
        let question = words(.question, in: body, of: "metrics.\(part.name)", longest: 600)
        let decision = text(.decision, in: body, longest: 600)
        let owner = text(.owner, in: body)
        let expires = expiry(in: body, of: part.name)
        let purpose: PurposeName? = reference(.purpose, in: body, to: .purpose)
        let dimensions = baseDimensions(in: body)
        let period: PeriodKind? = choice(.period, in: body)
        let measures = self.measures(in: body)
        let identifier = purposes.first { $0.name == purpose }?.identifier
        // The bound is what one event counts at most if there are no identifiers.
        let counts = measures?.within == nil && identifier != .absent
        let bound = integer(.contributionBound, in: body, 1...1_000_000) ?? (counts ? 20 : 1)
        let sampling = self.sampling(in: body) ?? 1
        let threshold = metricThreshold(in: body)
        let answered = body[.answered].flatMap { self.answered($0, body.subject(.answered)) }
        guard let dimensions, let measures else { return }
        checkColumns(of: measures, dimensions: dimensions, in: body)
        if let within = measures.within { checkWithin(within, dimensions: dimensions, in: body) }
        let cube = dimensions + [measures.histogram?.name, measures.within?.name].compactMap { $0 }
        let all = cube.map(\.text) + derivedNames(of: dimensions)
        let margins = body[.margins].flatMap { self.margins($0, body.subject(.margins), among: all) } ?? []
        let decay = body[.decay].flatMap { decaySteps($0, body.subject(.decay), of: period, among: all) } ?? []
        let rollups = self.rollups(in: body, of: period, keeping: decay)
        let impossible = self.impossible(in: body, cube: cube, measures)
        guard checkSize(of: dimensions, measures, in: body) else { return }
        bandsOf[MetricName(part.name)] = measures.bands
        guard let title, let events, let question, let decision, let owner, let expires, let purpose, let period else {
            return
        }
        metrics.append(
            Metric(
                name: MetricName(part.name), title: title, events: events, question: question, decision: decision,
                owner: owner, expires: expires, purpose: purpose, dimensions: dimensions, period: period,
                rollups: rollups, sums: measures.sums, histogram: measures.histogram, reach: measures.reach,
                countsFirsts: measures.countsFirsts, provesFirsts: measures.provesFirsts, answered: answered,
                within: measures.within, contributionBound: bound, sampling: sampling, threshold: threshold,
                impossible: impossible, margins: margins, decay: decay))
    }

    /// Reads the dimensions that a metric counts by: none that is made of another.
    private mutating func baseDimensions(in body: PlanBody<PlanKeys.Metric>) -> [DimensionName]? {
        guard let node = body[.dimensions] else { return [] }
        if case .sequence(let nodes) = node.content {
            var isFine = true
            for node in nodes {
                guard case .scalar(let name, _) = node.content, derivedNames.contains(name) else { continue }
                let base = bases[DimensionName(name)].map { "'\($0)'" } ?? "the dimension that it is made of"
                problems.add(
                    node.place,
                    """
                    \(body.subject(.dimensions)): '\(name)' is made of another dimension; list \(base) here, and use \
                    '\(name)' in margins and insights
                    """)
                isFine = false
            }
            guard isFine else { return nil }
        }
        return references(node, body.subject(.dimensions), to: "dimension", among: baseNames, mayBeEmpty: true)
    }

    mutating func eventNames(_ node: YAMLNode, _ subject: String) -> [EventName]? {
        guard let nodes = list(node, subject) else { return nil }
        var names: [EventName] = []
        for node in nodes {
            guard let name: EventName = name(node, subject, noun: "event") else { continue }
            if names.contains(name) { problems.add(node.place, "\(subject): '\(name)' is listed twice; keep one") }
            names.append(name)
        }
        return names
    }

    /// Reads a date at most a year ahead; one that has passed is the linter's affair.
    private mutating func expiry(in body: PlanBody<PlanKeys.Metric>, of name: String) -> CalendarDate? {
        guard let date = date(.expires, in: body) else { return nil }
        if let place = body[.expires]?.place {
            places.set(line: place.line, column: place.column, of: .metric, named: "\(name).expires")
        }
        let latest =
            CalendarDate(year: today.year + 1, month: today.month, day: today.day)
            ?? CalendarDate(year: today.year + 1, month: 3, day: 1) ?? today
        if date > latest {
            problems.add(
                body[.expires]?.place,
                """
                \(body.subject(.expires)) is \(date), more than a year ahead; \(latest) is the latest: renewing is a \
                decision, too
                """)
        }
        return date
    }

    private mutating func sampling(in body: PlanBody<PlanKeys.Metric>) -> Double? {
        guard let rate = number(.sampling, in: body) else { return nil }
        // Six decimals: what is divided by it is written with as many, and a rate that is finer would be written as 0.
        if rate <= 1, rate * 1e6 >= 1, (rate * 1e6).rounded() / 1e6 == rate { return rate }
        return problems.refuse(
            body[.sampling]?.place,
            """
            \(body.subject(.sampling)) is \(PlanNumber.text(rate)); 0.000001 to 1 with at most 6 decimal places is allowed
            """)
    }

    private mutating func metricThreshold(in body: PlanBody<PlanKeys.Metric>) -> Threshold {
        let standard = app?.threshold ?? .standard
        guard let threshold = threshold(.threshold, in: body) else { return standard }
        if let app, threshold < app.threshold {
            problems.add(
                body[.threshold]?.place,
                """
                \(body.subject(.threshold)) is \(threshold.devices), under the app's \(app.threshold.devices); a \
                metric may only ask for more
                """)
        }
        return threshold
    }

    private mutating func margins(
        _ node: YAMLNode, _ subject: String, among dimensions: [String]
    ) -> [[DimensionName]]? {
        guard let nodes = list(node, subject) else { return nil }
        var margins: [[DimensionName]] = []
        for node in nodes {
            guard
                let margin: [DimensionName] = references(
                    node, subject, to: "dimension of this metric", among: dimensions, mayBeEmpty: true)
            else { continue }
            if margins.contains(where: { Set($0) == Set(margin) }) {
                problems.add(node.place, "\(subject): this grouping is listed twice; keep one")
            }
            checkGrains(of: margin, subject) { _ in node.place }
            margins.append(margin)
        }
        return margins
    }

    /// Notes a cube that is too wide or too large.
    private mutating func checkSize(
        of dimensions: [DimensionName], _ measures: Measures, in body: PlanBody<PlanKeys.Metric>
    ) -> Bool {
        let place = body[.dimensions]?.place ?? body.place
        let histogram = measures.histogram
        let count = dimensions.count + (histogram == nil ? 0 : 1) + (measures.within == nil ? 0 : 1)
        guard count <= Self.mostDimensions else {
            problems.add(
                place,
                """
                \(body.subject) has \(count) dimensions\(histogram == nil ? "" : " with its histogram"); \
                \(Self.mostDimensions) are allowed: split it into two metrics
                """)
            return false
        }
        var sizes: [(name: String, buckets: Int)] = []
        for name in dimensions {
            // A dimension that could not be read has its own problem already.
            guard let buckets = buckets[name] else { return true }
            sizes.append((name.text, buckets.count))
        }
        if let histogram { sizes.append((histogram.name.text, measures.bands.count)) }
        let cells = sizes.reduce(1.0) { $0 * Double($1.buckets) }
        guard cells <= Double(Self.mostCells) else {
            let found = cells < 1e15 ? PlanNumber.text(Int(cells)) : "over 10^15"
            let product = sizes.map { "\($0.name) \($0.buckets)" }.joined(separator: " × ")
            problems.add(
                place,
                """
                \(body.subject) has \(product) = \(found) cells; \
                \(PlanNumber.text(Self.mostCells)) are allowed: drop a dimension or coarsen one
                """)
            return false
        }
        return true
    }
}
