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
        guard let node = metric[.measures] else { return Measures() }
        let subject = metric.subject(.measures)
        guard let body: PlanBody<PlanKeys.Measures> = body(of: node, subject, at: node.place) else { return nil }
        if flag(.count, in: body) == false {
            problems.add(
                body[.count]?.place, "\(body.subject(.count)) is false; every metric counts its events: leave it out")
        }
        var measures = Measures()
        let reach: ReachWord? = choice(.reach, in: body)
        measures.reach = reach.map { $0 != .no } ?? false
        measures.countsFirsts = reach == .client
        measures.provesFirsts = reach == .attested
        var isFine = true
        if let node = body[.sums] {
            let sums = sums(node, body.subject(.sums))
            measures.sums = sums ?? []
            isFine = sums != nil
        }
        if let node = body[.histogram] {
            let read = histogram(node, body.subject(.histogram))
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

    private mutating func sums(_ node: YAMLNode, _ subject: String) -> [SumMeasure]? {
        guard case .mapping(let entries) = node.content, !entries.isEmpty else {
            return problems.refuse(
                node.place,
                """
                \(subject): found \(node.found); a mapping of names to sums is allowed, such as {revenue: {field: \
                amount, from: 0, to: 500}}
                """)
        }
        var sums: [SumMeasure] = []
        for entry in entries {
            if sums.contains(where: { $0.name == entry.key }) {
                problems.add(entry.place, "\(subject): the sum '\(entry.key)' is given twice; rename one of them")
                continue
            }
            guard checkName(entry.key, at: entry.place, noun: "sum", subject),
                let sum = sum(named: entry.key, entry.value, "\(subject) '\(entry.key)'", at: entry.place)
            else { continue }
            sums.append(sum)
        }
        return sums.count == entries.count ? sums : nil
    }

    private mutating func sum(
        named name: String, _ node: YAMLNode, _ subject: String, at place: YAMLNode.Place
    ) -> SumMeasure? {
        guard let body: PlanBody<PlanKeys.Sum> = body(of: node, subject, at: place) else { return nil }
        let field = measuredField(.field, in: body)
        let lowest = number(.from, in: body)
        let highest = number(.to, in: body)
        let decimals = integer(.decimals, in: body, 0...6) ?? 0
        let unit = text(.unit, in: body, longest: 16) ?? ""
        guard let field, let lowest, let highest else { return nil }
        guard lowest < highest else {
            return problems.refuse(
                body[.from]?.place ?? place,
                """
                \(subject): from \(PlanNumber.text(lowest)) is not under to \(PlanNumber.text(highest)); values are \
                clipped to from…to
                """)
        }
        let sum = SumMeasure(
            name: name, field: field, lowest: lowest, highest: highest, decimals: decimals, unit: unit)
        // A million clipped values must fit a counter of 64 bits.
        let limit = 0x1p63 / 1e6 / sum.scale
        guard Swift.max(lowest.magnitude, highest.magnitude) < limit else {
            return problems.refuse(
                body[.to]?.place ?? place,
                """
                \(subject): a million values of \(PlanNumber.text(Swift.max(lowest.magnitude, highest.magnitude))) \
                with \(decimals) decimals overflow a counter; bounds under \(PlanNumber.text(limit.rounded(.down))) \
                are allowed
                """)
        }
        return sum
    }

    private mutating func histogram(
        _ node: YAMLNode, _ subject: String
    ) -> (histogram: HistogramMeasure, bands: [BucketLabel])? {
        guard let body: PlanBody<PlanKeys.Histogram> = body(of: node, subject, at: node.place) else { return nil }
        let name: DimensionName? = name(.name, in: body, noun: "histogram")
        let field = measuredField(.field, in: body)
        let edges = body[.edges].flatMap { ascending($0, body.subject(.edges)) }
        let unit = text(.unit, in: body, longest: 16) ?? ""
        let title = text(.title, in: body)
        guard let name, let field, let edges, let place = body[.edges]?.place else { return nil }
        do {
            let bands = try BucketingRule.bands(edges: edges).labels()
            return (HistogramMeasure(name: name, title: title, field: field, edges: edges, unit: unit), bands)
        } catch {
            return problems.refuse(place, "\(body.subject(.edges)): \(error)")
        }
    }

    /// A numeric field of the event, not its time or name.
    private mutating func measuredField<Key>(_ key: Key, in body: PlanBody<Key>) -> FieldName? {
        guard let field: FieldName = name(key, in: body, noun: "field") else { return nil }
        if field == .time || field == .event {
            return problems.refuse(
                body[key]?.place, "\(body.subject(key)): '\(field)' is no number; name a field of the event")
        }
        return field
    }

    /// Notes sums, histograms and dimensions that would be columns of one name.
    mutating func checkColumns(
        of measures: Measures, dimensions: [DimensionName], in metric: PlanBody<PlanKeys.Metric>
    ) {
        guard let place = metric.keyPlaces[.measures] else { return }
        var taken = Set(dimensions.map(\.text) + derivedNames(of: dimensions))
        for name in measures.sums.map(\.name) + [measures.histogram?.name.text].compactMap({ $0 }) {
            checkColumn(name, at: place, metric.subject(.measures))
            if !taken.insert(name).inserted {
                problems.add(
                    place,
                    """
                    \(metric.subject(.measures)): '\(name)' is a dimension or measure of this metric already; rename \
                    it
                    """)
            }
        }
        if let histogram = measures.histogram, declared[.dimension].contains(histogram.name.text),
            !dimensions.contains(histogram.name)
        {
            problems.add(
                place,
                "\(metric.subject(.measures)): the histogram '\(histogram.name)' has the name of a dimension; rename it"
            )
        }
    }
}
