extension ProcessingRecord.Field {
    /// Returns what devices send, and what becomes of it: the event's name, its time, then fields by name.
    static func all(of plan: Plan) -> [Self] {
        let fields = Set(plan.purposes.flatMap { plan.contextFields(of: $0.name) }).sorted()
        return ([.event, .time] + fields).map { Self($0, of: plan) }
    }

    private init(_ field: FieldName, of plan: Plan) {
        let metrics = plan.metrics.filter { field == .event || field == .time || plan.reads(field, in: $0) }
        let dimensions = metrics.flatMap { plan.recorded($0) }
        let derived = metrics.flatMap { plan.derivedDimensions(of: $0) }
        var uses: [ProcessingRecord.Use] = []
        func add(_ use: ProcessingRecord.Use) { if !uses.contains(use) { uses.append(use) } }
        if field == .event {
            let events = Set(metrics.flatMap(\.events)).sorted().map(\.text)
            add(.init("What was done", oneOf: events))
        }
        if field == .time {
            for period in Set(metrics.map(\.period)).sorted() {
                add(.init("When", "reduced to the \(period.rawValue), in \(plan.app.timeZone)"))
            }
        }
        for dimension in dimensions where dimension.field == field {
            add(plan.use(of: dimension))
            for coarser in derived where coarser.base == dimension.name { add(plan.use(of: coarser)) }
        }
        for sum in metrics.flatMap(\.sums) where sum.field == field { add(.init(sum)) }
        name = field
        purposes = plan.purposes.map(\.name).filter { purpose in metrics.contains { $0.purpose == purpose } }
        self.uses = uses
    }
}

extension ProcessingRecord.Use {
    fileprivate init(_ title: String, _ precision: String, buckets: [String] = []) {
        (self.title, self.precision, self.buckets) = (title, precision, buckets)
    }

    fileprivate init(_ title: String, oneOf buckets: [String]) {
        let words = buckets.count == 1 ? "only" : "one of \(PlanNumber.text(buckets.count)):"
        let shown = buckets.count > 16 ? buckets.prefix(12) + ["…"] : buckets[...]
        self.init(title, "\(words) \(shown.joined(separator: ", "))", buckets: buckets)
    }

    fileprivate init(_ sum: SumMeasure) {
        let unit = sum.unit.isEmpty ? "" : " \(sum.unit)"
        self.init(
            sum.name,
            """
            added up, each held between \(PlanNumber.text(sum.lowest)) and \(PlanNumber.text(sum.highest))\(unit), with \
            \(sum.decimals) decimal\(sum.decimals == 1 ? "" : "s"); single ones are not kept
            """)
    }
}

extension Plan {
    fileprivate func reads(_ field: FieldName, in metric: Metric) -> Bool {
        recorded(metric).contains { $0.field == field } || metric.sums.contains { $0.field == field }
    }

    /// Returns the dimensions that a metric makes of fields: those that split it, its histogram, those its funnel asks.
    func recorded(_ metric: Metric) -> [Dimension] {
        cubeDimensions(of: metric).filter { $0.name != metric.within?.name }
            + metric.steps.flatMap(\.filters).compactMap { dimension($0.dimension) }
    }

    fileprivate func use(of dimension: Dimension) -> ProcessingRecord.Use {
        if case .revealed(let most) = dimension.rule {
            return .init(
                dimension.title,
                """
                hashed on the device; a value is learned once at least \(revealThreshold(of: dimension.name).devices) \
                devices sent its hash within one window, \(PlanNumber.text(most)) values at most; all others count as other
                """)
        }
        do {
            return .init(dimension.title, oneOf: try dimension.rule.labels().map(\.text))
        } catch {
            return .init(dimension.title, "can't be listed on this machine: \(error)")
        }
    }

    fileprivate func use(of derived: DerivedDimension) -> ProcessingRecord.Use {
        .init(derived.title, oneOf: derived.labels.map(\.text))
    }
}
