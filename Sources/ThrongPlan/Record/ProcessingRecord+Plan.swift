extension ProcessingRecord {
    package init(of plan: Plan) {
        format = Self.format
        app = plan.app.name
        title = plan.app.title
        self.plan = plan.version.hex
        timeZone = plan.app.timeZone
        controller = Controller(owner: plan.app.owner, contact: plan.app.contact)
        purposes = plan.purposes.map { Purpose($0, of: plan) }
        people = People(of: plan)
        data = Field.all(of: plan)
        recipients = plan.partners.map { Recipient($0, of: plan) }
        erasure = plan.metrics.map { Erasure($0, of: plan) }
        measures = Measure.all(of: plan)
        open = OpenPoint.all(of: plan)
    }
}

extension ProcessingRecord.Purpose {
    fileprivate init(_ purpose: Purpose, of plan: Plan) {
        name = purpose.name
        explanation = purpose.explanation
        use = purpose.use
        let unasked = purpose.legalBasis.flatMap { ProcessingRecord.Basis(rawValue: $0.rawValue) } ?? .undecided
        basis = purpose.needsParent ? .consentOfParent : purpose.needsConsent ? .consent : unasked
        let asking = "The client has to ask, and to send nothing before; the daemon can't check it."
        basisText =
            switch basis {
            case .consent: "Consent (Art. 6(1)(a)). \(asking)"
            case .consentOfParent: "Consent (Art. 6(1)(a)), for a child a parent's (Art. 8). \(asking)"
            default: purpose.legalBasis?.recorded ?? "Not in the plan, which says only that nobody is asked."
            }
        refusedBy = purpose.refusedBy.sorted { $0.rawValue < $1.rawValue }
        rotationSeconds = purpose.hasIdentifiers ? purpose.rotation.seconds : nil
        retentionSeconds = purpose.retention.components.seconds
        metrics = plan.metrics.filter { $0.purpose == purpose.name }.map { metric in
            ProcessingRecord.Metric(
                name: metric.name, title: metric.title, owner: metric.owner, question: metric.question,
                decision: metric.decision, events: metric.events, until: metric.expires.description)
        }
    }
}

extension LegalBasis {
    /// "Legitimate interests (Art. 6(1)(f)), as the plan says."
    fileprivate var recorded: String {
        "\(words.prefix(1).uppercased())\(words.dropFirst()) (Art. 6(1)(\(letter))), as the plan says. Nobody is asked."
            + (allowsObjection ? " People may object (Art. 21(1)), and are told whom to write to." : "")
    }
}

extension ProcessingRecord.People {
    fileprivate init(of plan: Plan) {
        let app = plan.app
        devicesPerDay = app.audience
        directedTo = app.directedTo
        text = sentences {
            "Whoever uses \(app.title): about \(PlanNumber.text(app.audience)) devices a day, as the plan expects."
            switch app.directedTo {
            case .general: []
            case .children: "It is directed to children: all of them are taken for such."
            case .mixed: "Children may be among them: whoever is not known to be grown up is taken for one."
            }
            plan.purposes.contains(where: \.hasIdentifiers)
                ? "Throng tells devices apart, on the web tabs, not people, and no two windows of a device."
                : "Throng tells neither people nor devices apart."
        }
    }
}

extension ProcessingRecord.Recipient {
    fileprivate init(_ partner: Partner, of plan: Plan) {
        name = partner.name
        title = partner.title
        contact = partner.contact
        reports = plan.reports.filter { $0.partner == partner.name }.map { report in
            ProcessingRecord.Report(
                name: report.name.text, title: report.title, period: report.period, schedule: report.schedule?.text,
                isAlert: report.alert == nil ? nil : true, deliveries: report.deliveries.map(\.target),
                keptSeconds: plan.seconds(keeping: report),
                insights: report.insights.compactMap { plan.insight($0) }.map {
                    ProcessingRecord.Insight(name: $0.name.text, title: $0.title, metric: $0.metric)
                })
        }
    }
}

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
        for metric in metrics { for sum in metric.sums where sum.field == field { add(.init(sum, of: metric)) } }
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
        self.init(title, "\(words) \(shown.listed)", buckets: buckets)
    }

    fileprivate init(_ sum: SumMeasure, of metric: Metric) {
        let unit = sum.unit.isEmpty ? "" : " \(sum.unit)"
        self.init(
            metric.title(of: sum),
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
        } catch { return .init(dimension.title, "can't be listed on this machine: \(error)") }
    }

    fileprivate func use(of derived: DerivedDimension) -> ProcessingRecord.Use {
        .init(derived.title, oneOf: derived.labels.map(\.text))
    }

    fileprivate func title(of name: DimensionName, in metric: Metric) -> String {
        tellingDimensions(of: metric)[name]?.title ?? name.text
    }

    fileprivate func words(for action: DecayStep.Action, of metric: Metric) -> String {
        switch action {
        case .drop(let name): "every number that is split by \(title(of: name, in: metric))"
        case .coarsen(let name, to: let coarse):
            "every number that is split by \(title(of: name, in: metric)); "
                + "those by \(title(of: coarse, in: metric)) stay"
        case .keep(let kind): "every number that covers less than a \(kind.rawValue)"
        case .keepTotals: "every number that is split by anything"
        case .delete: "all of its numbers"
        }
    }
}

extension ProcessingRecord.Erasure {
    init(_ metric: Metric, of plan: Plan) {
        self.metric = metric.name
        title = metric.title
        var left = Remainder(periods: [metric.period] + metric.rollups, groupings: plan.groupingNames(of: metric))
        released = left.kept(in: plan, metric)
        // The step that takes all comes last; later steps never happen, and are listed all the same.
        let steps = plan.expirySteps(of: metric)
        let order = steps.indices.sorted { (steps[$0].after, $0) < (steps[$1].after, $1) }
        var result: [ProcessingRecord.Step] = []
        for step in order.map({ steps[$0] }) {
            let isIdle = left.isEmpty
            left.take(step.action)
            result.append(
                ProcessingRecord.Step(
                    afterSeconds: step.after.components.seconds,
                    goes: plan.words(for: step.action, of: metric) + (isIdle ? ", but nothing is left by then" : ""),
                    left: left.kept(in: plan, metric)))
        }
        self.steps = result
    }
}

/// The numbers of a metric that are left while steps of age are gone through.
private struct Remainder {
    var periods: [PeriodKind]
    var groupings: [[DimensionName]]

    var isEmpty: Bool { periods.isEmpty || groupings.isEmpty }

    mutating func take(_ action: DecayStep.Action) {
        switch action {
        case .drop(let name), .coarsen(let name, to: _): groupings.removeAll { $0.contains(name) }
        case .keep(let kind): periods.removeAll { $0 < kind }
        case .keepTotals: groupings.removeAll { !$0.isEmpty }
        case .delete: groupings = []
        }
    }

    func kept(in plan: Plan, _ metric: Metric) -> ProcessingRecord.Kept {
        guard !isEmpty else { return ProcessingRecord.Kept(periods: [], groupings: [], text: "nothing") }
        let splits = groupings.filter { !$0.isEmpty }.map { names in
            names.map { plan.title(of: $0, in: metric) }.joined(separator: " × ")
        }
        let words = (groupings.contains([]) ? ["the total"] : []) + splits.map { "by \($0)" }
        let spans = periods.map { "\($0.rawValue)s" }.joined(separator: " and ")
        return ProcessingRecord.Kept(
            periods: periods, groupings: groupings, text: "numbers of \(spans): \(words.joined(separator: "; "))")
    }
}
