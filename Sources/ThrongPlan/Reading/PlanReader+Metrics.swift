extension PlanReader {
    static var mostCells: Int { 1_000_000 }
    /// Most dimensions of one metric's cube, its histogram included.
    static var mostDimensions: Int { 8 }

    mutating func readMetric(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Metric.self) else { return }
        let title = words(.title, in: body, of: "metrics.\(part.name)")
        let noun = self.noun(body[.noun], of: part.name)
        let events = eventNames(body[.events])
        let question = words(.question, in: body, of: "metrics.\(part.name)", longest: 600)
        let decision = text(body[.decision], longest: 600)
        let owner = text(body[.owner])
        let expires = expiry(body[.expires], of: part.name)
        let purpose: PurposeName? = reference(body[.purpose], to: .purpose)
        let dimensions = baseDimensions(body[.dimensions])
        let period: PeriodKind? = choice(body[.period])
        let measures = self.measures(in: body, of: part.name)
        let identifier = purposes.first { $0.name == purpose }?.identifier
        // The bound is what one event counts at most if there are no identifiers.
        let counts = measures?.within == nil && identifier != .absent
        let choosesBound = body[.contributionBound]?.plain == "auto"
        let bound = choosesBound ? nil : integer(body[.contributionBound], 1...1_000_000)
        let sampling = self.sampling(body[.sampling]) ?? 1
        let threshold = metricThreshold(body[.threshold])
        let answered = self.answered(body[.answered])
        guard let dimensions, let measures else { return }
        checkColumns(of: measures, dimensions: dimensions, in: body)
        if let within = measures.within { checkWithin(within, dimensions: dimensions, in: body) }
        let cube = dimensions + [measures.histogram?.name, measures.within?.name].compactMap { $0 }
        let all = cube.map(\.text) + derivedNames(of: dimensions)
        let margins = self.margins(body[.margins], among: all) ?? []
        let decay = decaySteps(body[.decay], of: period, among: all) ?? []
        let rollups = self.rollups(in: body, of: period, keeping: decay)
        let impossible = self.impossible(body[.impossible], cube: cube, measures)
        guard checkSize(of: dimensions, measures, choosesBound, in: body) else { return }
        bandsOf[MetricName(part.name)] = measures.bands
        guard let title, let events, let question, let decision, let owner, let expires, let purpose, let period else {
            return
        }
        metrics.append(
            Metric(
                name: MetricName(part.name), title: title, noun: noun, events: events, question: question,
                decision: decision, owner: owner, expires: expires, purpose: purpose, dimensions: dimensions,
                period: period, rollups: rollups, sums: measures.sums, sumTitles: measures.sumTitles,
                histogram: measures.histogram, reach: measures.reach, countsFirsts: measures.countsFirsts,
                provesFirsts: measures.provesFirsts, answered: answered, within: measures.within,
                contributionBound: bound ?? (counts ? Metric.firstBound : 1), choosesBound: choosesBound,
                sampling: sampling, threshold: threshold, impossible: impossible, margins: margins, decay: decay))
    }

    private mutating func noun(_ value: PlanValue?, of metric: String) -> Noun? {
        guard let value, let body = body(value, PlanKeys.Noun.self, at: value.node.place),
            let one = words(.one, in: body, of: "metrics.\(metric).noun"),
            let many = words(.many, in: body, of: "metrics.\(metric).noun")
        else { return nil }
        return Noun(one: one, many: many)
    }

    /// Reads the dimensions that a metric counts by: none that is made of another.
    private mutating func baseDimensions(_ value: PlanValue?) -> [DimensionName]? {
        guard let value else { return [] }
        let derived = (value.elements ?? []).filter { $0.scalar.map(derivedNames.contains) ?? false }
        for element in derived {
            guard let name = element.scalar else { continue }
            problems.add(
                element,
                "'\(name)' is made of another dimension; list \(baseText(of: name)) here, and use '\(name)' in margins "
                    + "and insights")
        }
        guard derived.isEmpty else { return nil }
        return references(value, to: "dimension", among: baseNames, mayBeEmpty: true)
    }

    mutating func eventNames(_ value: PlanValue?) -> [EventName]? {
        distinct(value) { reader, value -> EventName? in reader.name(value, noun: "event") }?.found
    }

    /// Reads a date at most a year ahead; one that has passed is the linter's affair.
    private mutating func expiry(_ value: PlanValue?, of name: String) -> CalendarDate? {
        guard let value, let date = date(value) else { return nil }
        places.set(line: value.place.line, column: value.place.column, of: .metric, named: "\(name).expires")
        let latest =
            CalendarDate(year: today.year + 1, month: today.month, day: today.day)
            ?? CalendarDate(year: today.year + 1, month: 3, day: 1) ?? today
        if date > latest {
            problems.add(
                value, it: "is \(date), more than a year ahead; \(latest) is the latest: renewing is a decision, too")
        }
        return date
    }

    private mutating func sampling(_ value: PlanValue?) -> Double? {
        guard let rate = number(value) else { return nil }
        // Six decimals: what is divided by it is written with as many, and a rate that is finer would be written as 0.
        if rate <= 1, rate * 1e6 >= 1, (rate * 1e6).rounded() / 1e6 == rate { return rate }
        return problems.refuse(
            value, it: "is \(PlanNumber.text(rate)); 0.000001 to 1 with at most 6 decimal places is allowed")
    }

    private mutating func metricThreshold(_ value: PlanValue?) -> Threshold {
        let standard = app?.threshold ?? .standard
        guard let threshold = threshold(value) else { return standard }
        if app != nil, threshold < standard {
            problems.add(
                value,
                it: "is \(threshold.devices), under the app's \(standard.devices); a metric may only ask for more")
        }
        return threshold
    }

    private mutating func margins(_ value: PlanValue?, among dimensions: [String]) -> [[DimensionName]]? {
        guard let values = list(value) else { return nil }
        var margins: [[DimensionName]] = []
        for value in values {
            let margin: [DimensionName]? = references(
                value, to: "dimension of this metric", among: dimensions, mayBeEmpty: true)
            guard let margin else { continue }
            if margins.contains(where: { Set($0) == Set(margin) }) {
                problems.add(value, "this grouping is listed twice; keep one")
            }
            checkGrains(of: margin, value.subject) { _ in value.place }
            margins.append(margin)
        }
        return margins
    }

    /// Notes a cube that is too wide or too large.
    private mutating func checkSize(
        of dimensions: [DimensionName], _ measures: Measures, _ choosesBound: Bool, in body: PlanBody<PlanKeys.Metric>
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
        if choosesBound { sizes.append(("bounds", Metric.boundRungs.count)) }
        let cells = sizes.reduce(1.0) { $0 * Double($1.buckets) }
        guard cells <= Double(Self.mostCells) else {
            let found = cells < 1e15 ? PlanNumber.text(Int(cells)) : "over 10^15"
            let product = sizes.map { "\($0.name) \($0.buckets)" }.joined(separator: " × ")
            problems.add(
                place,
                "\(body.subject) has \(product) = \(found) cells; \(PlanNumber.text(Self.mostCells)) are allowed: drop "
                    + "a dimension or coarsen one")
            return false
        }
        return true
    }

    /// The measures of a metric besides the count of its events.
    struct Measures {
        var sums: [SumMeasure] = []
        var sumTitles: [String: String] = [:]
        var histogram: HistogramMeasure?
        var bands: [BucketLabel] = []
        var reach = false
        var countsFirsts = false
        var provesFirsts = false
        /// The measure of identifiers that is counted instead of events.
        var within: WindowMeasure?
    }

    private enum ReachWord: String, CaseIterable {
        case yes = "true"
        case no = "false"
        case client, attested
    }

    mutating func measures(in metric: PlanBody<PlanKeys.Metric>, of name: String) -> Measures? {
        guard let value = metric[.measures] else { return Measures() }
        guard let body = body(value, PlanKeys.Measures.self) else { return nil }
        if flag(body[.count]) == false {
            problems.add(body[.count], it: "is false; every metric counts its events: leave it out")
        }
        var measures = Measures()
        let reach: ReachWord? = choice(body[.reach])
        measures.reach = reach.map { $0 != .no } ?? false
        measures.countsFirsts = reach == .client
        measures.provesFirsts = reach == .attested
        var isFine = true
        if let value = body[.sums] { isFine = readSums(value, of: name, into: &measures) }
        if let value = body[.histogram] {
            let read = histogram(value, of: name)
            measures.histogram = read?.histogram
            measures.bands = read?.bands ?? []
            isFine = isFine && read != nil
        }
        if body[.frequency] != nil || body[.funnel] != nil {
            measures.within = within(in: body, of: metric, named: name)
            isFine = isFine && measures.within != nil
        }
        return isFine ? measures : nil
    }

    /// Reads a metric's sums and their titles; returns false if one of them could not be read.
    private mutating func readSums(_ value: PlanValue, of metric: String, into measures: inout Measures) -> Bool {
        guard let entries = value.entries, !entries.isEmpty else {
            let allowed = "a mapping of names to sums is allowed, such as {revenue: {field: amount, from: 0, to: 500}}"
            return problems.refuse(value, allowed: allowed) ?? false
        }
        for entry in entries {
            let (name, subject) = (entry.key, value.subject)
            if measures.sums.contains(where: { $0.name == name }) {
                problems.add(entry.place, "\(subject): the sum '\(name)' is given twice; rename one of them")
                continue
            }
            guard checkName(name, at: entry.place, noun: "sum", subject),
                let body = body(
                    PlanValue(node: entry.value, subject: "\(subject) '\(name)'"), PlanKeys.Sum.self, at: entry.place),
                let sum = sum(named: name, body)
            else { continue }
            measures.sums.append(sum)
            measures.sumTitles[name] = words(.title, in: body, of: "metrics.\(metric).sums.\(name)")
        }
        let told = measures.sums.map { (BucketLabel($0.name), measures.sumTitles[$0.name] ?? $0.name) }
        checkAlike(told.map { ($0, $1, "metrics.\(metric).sums.\($0).title") }, in: value)
        return measures.sums.count == entries.count
    }

    private mutating func sum(named name: String, _ body: PlanBody<PlanKeys.Sum>) -> SumMeasure? {
        let field = measuredField(body[.field])
        let lowest = number(body[.from])
        let highest = number(body[.to])
        let decimals = integer(body[.decimals], 0...6) ?? 0
        let unit = text(body[.unit], longest: 16) ?? ""
        guard let field, let lowest, let highest else { return nil }
        guard lowest < highest else {
            return problems.refuse(
                body[.from]?.place,
                "\(body.subject): from \(PlanNumber.text(lowest)) is not under to \(PlanNumber.text(highest)); values "
                    + "are clipped to from…to")
        }
        let sum = SumMeasure(name: name, field: field, lowest: lowest, highest: highest, decimals: decimals, unit: unit)
        // A million clipped values must fit a counter of 64 bits.
        let limit = 0x1p63 / 1e6 / sum.scale
        guard Swift.max(lowest.magnitude, highest.magnitude) < limit else {
            return problems.refuse(
                body[.to]?.place,
                "\(body.subject): a million values of "
                    + "\(PlanNumber.text(Swift.max(lowest.magnitude, highest.magnitude))) with \(decimals) decimals "
                    + "overflow a counter; bounds under \(PlanNumber.text(limit.rounded(.down))) are allowed")
        }
        return sum
    }

    private mutating func histogram(
        _ value: PlanValue, of metric: String
    ) -> (histogram: HistogramMeasure, bands: [BucketLabel])? {
        guard let body = body(value, PlanKeys.Histogram.self) else { return nil }
        let name: DimensionName? = name(body[.name], noun: "histogram")
        let field = measuredField(body[.field])
        let edges = ascending(body[.edges])
        let unit = text(body[.unit], longest: 16) ?? ""
        let title = words(.title, in: body, of: "metrics.\(metric).histogram")
        guard let name, let field, let edges else { return nil }
        do {
            let bands = try BucketingRule.bands(edges: edges).labels()
            return (HistogramMeasure(name: name, title: title, field: field, edges: edges, unit: unit), bands)
        } catch { return problems.refuse(body[.edges], "\(error)") }
    }

    /// Reads a numeric field of the event, not its time or name.
    private mutating func measuredField(_ value: PlanValue?) -> FieldName? {
        guard let field: FieldName = name(value, noun: "field") else { return nil }
        guard field == .time || field == .event else { return field }
        return problems.refuse(value, "'\(field)' is no number; name a field of the event")
    }

    /// Notes sums, histograms and dimensions that would be columns of one name.
    mutating func checkColumns(
        of measures: Measures, dimensions: [DimensionName], in metric: PlanBody<PlanKeys.Metric>
    ) {
        guard let place = metric.keyPlaces[.measures] else { return }
        let subject = metric.subject(.measures)
        var taken = Set(dimensions.map(\.text) + derivedNames(of: dimensions))
        for name in measures.sums.map(\.name) + [measures.histogram?.name.text].compactMap({ $0 }) {
            checkColumn(name, at: place, subject)
            if !taken.insert(name).inserted {
                problems.add(place, "\(subject): '\(name)' is a dimension or measure of this metric already; rename it")
            }
        }
        if let name = measures.histogram?.name, isDimension(name), !dimensions.contains(name) {
            problems.add(place, "\(subject): the histogram '\(name)' has the name of a dimension; rename it")
        }
    }

    func isDimension(_ name: DimensionName) -> Bool { declared[.dimension]?.contains(name.text) ?? false }
}
