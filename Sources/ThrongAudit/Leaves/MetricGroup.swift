/// The metrics of one app that ties or quotients bind to each other, with everything published about them.
struct MetricGroup {
    let app: String
    let metrics: Set<String>
    /// With their places in the input.
    var statements: [(place: Int, statement: AuditStatement)]
    var families: [AuditFamily]
    let plan: AuditPlan
    /// Whether its one metric stands for what several count together.
    var isJoint = false

    /// Splits the input so that nothing published links two groups.
    static func split(_ input: AuditInput) -> [MetricGroup] {
        var links: [[String]] = []
        for tie in input.plan.ties {
            links.append(["\(tie.app)/\(tie.left.metric)", "\(tie.app)/\(tie.right.metric)"])
        }
        for cover in input.plan.covers { links.append((cover.kinds + [cover.total]).map { "\(cover.app)/\($0)" }) }
        var seen: Set<String> = []
        for statement in input.statements {
            let names = Set(statement.terms.map { "\(statement.app)/\($0.metric)" })
            if names.count > 1 { links.append(names.sorted()) }
            seen.formUnion(names)
        }
        seen.formUnion(input.families.map { "\($0.app)/\($0.metric)" })
        var groupOf: [String: Int] = [:]
        for (number, name) in seen.sorted().enumerated() { groupOf[name] = number }
        for link in links {
            let numbers = Set(link.compactMap { groupOf[$0] })
            guard let least = numbers.min() else { continue }
            for (name, number) in groupOf where numbers.contains(number) { groupOf[name] = least }
        }
        var groups: [Int: MetricGroup] = [:]
        func group(_ app: String, _ metric: String) -> Int? { groupOf["\(app)/\(metric)"] }
        for name in seen.sorted() {
            guard let number = groupOf[name], groups[number] == nil else { continue }
            let app = String(name.prefix { $0 != "/" })
            let metrics = groupOf.filter { $0.value == number }.keys.map { String($0.dropFirst(app.count + 1)) }
            groups[number] = MetricGroup(
                app: app, metrics: Set(metrics), statements: [], families: [], plan: input.plan)
        }
        for (place, statement) in input.statements.enumerated() {
            guard let first = statement.terms.first, let number = group(statement.app, first.metric) else { continue }
            groups[number]?.statements.append((place, statement))
        }
        for family in input.families {
            if let number = group(family.app, family.metric) { groups[number]?.families.append(family) }
        }
        return groups.sorted { $0.key < $1.key }.map { $0.value.withRevisions }
    }

    /// The same with one metric each, for what is too large or too contradictory together.
    var apart: [MetricGroup] {
        metrics.sorted().map { metric in
            MetricGroup(
                app: app, metrics: [metric],
                statements: statements.filter { $0.statement.terms.allSatisfy { $0.metric == metric } },
                families: families.filter { $0.metric == metric }, plan: plan)
        }
    }

    /// Where one source gives a cell another value than an earlier one did, it is a later issue of the period: late
    /// events were added. What is new in it is a batch of leaves of its own.
    private var withRevisions: MetricGroup {
        struct Key: Hashable {
            let metric: String
            let measure: AuditMeasure
            let region: AuditRegion
        }
        struct Issue: Hashable {
            let metric: String
            let period: AuditPeriod
        }
        var values: [Key: [(source: String, value: Int64)]] = [:]
        for (_, statement) in statements {
            guard let value = statement.plainValue, let term = statement.terms.first, term.region.period.revision == nil
            else { continue }
            let key = Key(metric: term.metric, measure: term.measure, region: term.region)
            values[key, default: []].append((statement.source, value))
        }
        var contested: [Issue: [String]] = [:]
        for (key, entries) in values where Set(entries.map(\.value)).count > 1 {
            let issue = Issue(metric: key.metric, period: key.region.period)
            // In the order in which they were read; a source that agrees with an earlier one is the same issue only
            // if it agrees everywhere, which later numbers show by adding nothing.
            for entry in entries where !(contested[issue] ?? []).contains(entry.source) {
                contested[issue, default: []].append(entry.source)
            }
        }
        guard !contested.isEmpty else { return self }
        var issues: [Issue: [String]] = [:]
        let order = statements.map(\.statement.source)
        for (issue, sources) in contested {
            issues[issue] = sources.sorted { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) }
        }
        func period(_ period: AuditPeriod, _ metric: String, _ source: String) -> AuditPeriod {
            guard let place = issues[Issue(metric: metric, period: period)]?.firstIndex(of: source) else {
                return period
            }
            return AuditPeriod(start: period.start, end: period.end, revision: place)
        }
        var result = self
        result.statements = statements.map { place, statement in
            (
                place,
                statement.with(
                    terms: statement.terms.map { term in
                        var term = term
                        term.region.period = period(term.region.period, term.metric, statement.source)
                        return term
                    })
            )
        }
        result.families = families.map { family in
            var family = family
            family.period = period(family.period, family.metric, family.source)
            return family
        }
        return result
    }

    /// Everything that is dated.
    var periods: Set<AuditPeriod> {
        var periods = Set(families.flatMap { $0.pieces.isEmpty ? [$0.period] : $0.pieces.map(\.period) })
        for (_, statement) in statements { periods.formUnion(statement.terms.map(\.region.period)) }
        if let first = periods.map(\.start).min() {
            for metric in metrics {
                // Everything before the first day of counting is zero; only what somebody published reaches there.
                if let begin = plan.begins[metric], begin > first {
                    periods.insert(AuditPeriod(start: first, end: begin))
                }
            }
        }
        return periods
    }

    /// The dimensions that published numbers or shown tables use, with their finest parts.
    var dimensions: [AuditPlan.Dimension] {
        var used: [String: Set<String>] = [:]
        func use(_ dimension: String, _ labels: [String]) { used[dimension, default: []].formUnion(labels) }
        for (_, statement) in statements {
            for term in statement.terms { for slice in term.region.slices { use(slice.dimension, slice.labels) } }
        }
        for family in families {
            for axis in family.axes { use(axis.dimension, axis.alternatives.flatMap { $0 }) }
            for slice in family.pieces.flatMap(\.slices) { use(slice.dimension, slice.labels) }
        }
        for zero in plan.structuralZeros where metrics.contains(zero.metric) {
            for slice in zero.slices { use(slice.dimension, slice.labels) }
        }
        return used.sorted { $0.key < $1.key }.map { name, labels in
            guard let declared = plan.dimensions.first(where: { $0.name == name }) else {
                // A filter shows one bucket and not the others: something else is always possible.
                return AuditPlan.Dimension(name: name, elements: labels.sorted() + ["(any other)"])
            }
            let all = declared.elements + labels.subtracting(declared.elements).sorted()
            if declared.groups.isEmpty, let bands = BandLabel.align(all) {
                return AuditPlan.Dimension(
                    name: name, elements: bands.elements, groups: bands.groups,
                    partitionsDevices: declared.partitionsDevices)
            }
            let new = labels.subtracting(declared.elements).subtracting(declared.groups.keys)
            return AuditPlan.Dimension(
                name: name, elements: declared.elements + new.sorted(), groups: declared.groups,
                partitionsDevices: declared.partitionsDevices)
        }
    }
}
