extension PlanReader {
    mutating func readPartner(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Partner.self) else { return }
        let title = text(body[.title])
        let contact = text(body[.contact])
        let language = language(body[.language])
        if part.name == Partner.everybody.text {
            problems.add(part.place, "partner 'public' is everybody: delete it, and write 'public: true' in a report")
        }
        guard let title, let contact else { return }
        partners.append(Partner(name: PartnerName(part.name), title: title, contact: contact, language: language))
    }

    mutating func readAnnotation(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Annotation.self) else { return }
        let date = date(body[.date])
        let text = words(.text, in: body, of: "annotations.\(part.name)")
        if let date, let text { annotations.append(Annotation(name: part.name, date: date, text: text)) }
    }

    mutating func readReport(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Report.self) else { return }
        let title = words(.title, in: body, of: "reports.\(part.name)")
        let explanation = words(.explanation, in: body, of: "reports.\(part.name)", longest: 600)
        let publicity: Publicity? = choice(body[.public])
        let named: PartnerName? = reference(body[.partner], to: .partner)
        let partner = body[.public] == nil ? named : Partner.everybody
        switch (body[.partner], body[.public]) {
        case (nil, nil): problems.add(body, "'partner' is missing; add it, or 'public: true' for everybody")
        case (_?, let isPublic?):
            problems.add(isPublic, "everybody is the partner, too; keep one of 'partner' and 'public'")
        default: break
        }
        let names: [InsightName]? = references(body[.insights], to: "insight", among: declared[.insight] ?? [])
        let period: PeriodKind? = choice(body[.period])
        if let names, let period { checkPeriods(of: names, period, in: body) }
        let schedule = schedule(body[.schedule])
        let standard = ReportFormat.standard + (body[.public] == nil ? [] : [.svg])
        let formats: [ReportFormat] = body[.formats] == nil ? standard : choices(body[.formats]) ?? []
        let language = language(body[.language])
        let split: SplitPeriod? = choice(body[.split])
        let deliveries = self.deliveries(body[.deliver]) ?? []
        if schedule != nil, body[.deliver] == nil, body[.public] == nil {
            problems.add(
                body[.schedule]?.place,
                "\(body.subject) has a schedule and no 'deliver', so it would go nowhere; say where it goes")
        }
        let alert = names.flatMap { self.alert(body[.alert], of: $0) }
        guard let title, let partner, let names, let period else { return }
        reports.append(
            Report(
                name: ReportName(part.name), title: title, explanation: explanation, partner: partner, insights: names,
                period: period, schedule: schedule, formats: formats, deliveries: deliveries, split: split ?? .say,
                language: language, alert: alert, publicity: publicity))
    }

    /// Reads the condition of a report with these insights.
    private mutating func alert(_ value: PlanValue?, of names: [InsightName]) -> Alert? {
        guard let body = body(value, PlanKeys.Alert.self) else { return nil }
        let name: InsightName? = reference(body[.insight], to: .insight)
        let (below, above) = (number(body[.below]), number(body[.above]))
        let isUnusual = flag(body[.unusual]) ?? false
        if below == nil, above == nil, !isUnusual {
            problems.add(body, "one of 'below: NUMBER', 'above: NUMBER' and 'unusual: true' is needed")
        }
        if let below, let above, below >= above {
            problems.add(body[.above], "an alert 'below' \(PlanNumber.text(below)) needs an 'above' that is larger")
        }
        guard let name else { return nil }
        if !names.contains(name) {
            problems.add(body[.insight], "insight '\(name)' is not among the report's 'insights'; add it there")
        }
        if let insight = insights.first(where: { $0.name == name }), !insight.isOneNumber {
            problems.add(
                body[.insight],
                """
                insight '\(name)' has no single number; use a count, reach, mean, or share with a 'part', without 'by'
                """)
        }
        return Alert(insight: name, below: below, above: above, isUnusual: isUnusual)
    }

    private mutating func checkPeriods(
        of names: [InsightName], _ period: PeriodKind, in body: PlanBody<PlanKeys.Report>
    ) {
        let place = body[.period]?.place
        for insight in names.compactMap({ name in insights.first { $0.name == name } }) {
            let covers = "\(body.subject) covers a \(period.rawValue), but insight '\(insight.name)'"
            if period > .day, insight.asksForLastWeek {
                problems.add(
                    place, "\(covers) compares with 'week_before', which hours and days have; use 'period_before'")
            }
            guard let metric = metrics.first(where: { $0.name == insight.metric }), metric.period != period,
                !metric.rollups.contains(period)
            else { continue }
            let fix = metric.period.rollups.contains(period) ? ", or 'rollups: [\(period.rawValue)]' in the metric" : ""
            problems.add(
                place,
                """
                \(covers) reads metric '\(metric.name)', which counts by \(metric.period.rawValue); use one period\(fix)
                """)
        }
    }

    private mutating func schedule(_ value: PlanValue?) -> CronSchedule? {
        guard let written = text(value) else { return nil }
        do { return try CronSchedule(written) } catch { return problems.refuse(value, "\(error)") }
    }
}

extension Insight {
    /// True if all it says of a period is one number.
    fileprivate var isOneNumber: Bool {
        switch kind {
        case .count, .reach, .mean, .share(of: _, part: .some): by.isEmpty
        case .share, .distribution, .quantiles, .retention, .frequency, .funnel: false
        }
    }

    fileprivate var asksForLastWeek: Bool {
        guard case .change(let references) = view else { return false }
        return references.contains(.weekBefore)
    }
}
