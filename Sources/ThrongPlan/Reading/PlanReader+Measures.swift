extension PlanReader {
    /// The measures of a metric besides the count of its events.
    struct Measures {
        var sums: [SumMeasure] = []
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

    mutating func measures(in metric: PlanBody<PlanKeys.Metric>) -> Measures? {
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
        if let value = body[.sums] {
            let sums = sums(value)
            measures.sums = sums ?? []
            isFine = sums != nil
        }
        if let value = body[.histogram] {
            let read = histogram(value)
            measures.histogram = read?.histogram
            measures.bands = read?.bands ?? []
            isFine = isFine && read != nil
        }
        if body[.frequency] != nil || body[.funnel] != nil {
            measures.within = within(in: body, of: metric)
            isFine = isFine && measures.within != nil
        }
        return isFine ? measures : nil
    }

    private mutating func sums(_ value: PlanValue) -> [SumMeasure]? {
        guard let entries = value.entries, !entries.isEmpty else {
            return problems.refuse(
                value,
                allowed: "a mapping of names to sums is allowed, such as {revenue: {field: amount, from: 0, to: 500}}")
        }
        var sums: [SumMeasure] = []
        for entry in entries {
            let (name, subject) = (entry.key, value.subject)
            if sums.contains(where: { $0.name == name }) {
                problems.add(entry.place, "\(subject): the sum '\(name)' is given twice; rename one of them")
                continue
            }
            guard checkName(name, at: entry.place, noun: "sum", subject),
                let body = body(
                    PlanValue(node: entry.value, subject: "\(subject) '\(name)'"), PlanKeys.Sum.self, at: entry.place),
                let sum = sum(named: name, body)
            else { continue }
            sums.append(sum)
        }
        return sums.count == entries.count ? sums : nil
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

    private mutating func histogram(_ value: PlanValue) -> (histogram: HistogramMeasure, bands: [BucketLabel])? {
        guard let body = body(value, PlanKeys.Histogram.self) else { return nil }
        let name: DimensionName? = name(body[.name], noun: "histogram")
        let field = measuredField(body[.field])
        let edges = ascending(body[.edges])
        let unit = text(body[.unit], longest: 16) ?? ""
        let title = text(body[.title])
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
