extension PlanReader {
    mutating func readPartner(_ part: Part) {
        guard let body: PlanBody<PlanKeys.Partner> = body(of: part, .partner) else { return }
        let title = text(.title, in: body)
        let contact = text(.contact, in: body)
        let language = language(.language, in: body)
        guard let title, let contact else { return }
        partners.append(Partner(name: PartnerName(part.name), title: title, contact: contact, language: language))
    }

    mutating func readReport(_ part: Part) {
        guard let body: PlanBody<PlanKeys.Report> = body(of: part, .report) else { return }
        let title = words(.title, in: body, of: "reports.\(part.name)")
        let explanation = words(.explanation, in: body, of: "reports.\(part.name)", longest: 600)
        let partner: PartnerName? = reference(.partner, in: body, to: .partner)
        let names: [InsightName]? = body[.insights].flatMap {
            references($0, body.subject(.insights), to: "insight", among: declared[.insight])
        }
        let period: PeriodKind? = choice(.period, in: body)
        if let names, let period { checkPeriods(of: names, period, in: body) }
        let schedule = self.schedule(in: body)
        let formats: [ReportFormat] =
            body[.formats].map { choices($0, body.subject(.formats)) ?? [] } ?? ReportFormat.standard
        let locale: ReportLocale? = choice(.locale, in: body)
        let language = language(.language, in: body)
        let split: SplitPeriod? = choice(.split, in: body)
        let deliveries = body[.deliver].flatMap { self.deliveries($0, body.subject(.deliver)) } ?? []
        if schedule != nil, body[.deliver] == nil {
            problems.add(
                body[.schedule]?.place,
                "\(body.subject) has a schedule and no 'deliver', so it would go nowhere; say where it goes")
        }
        guard let title, let partner, let names, let period else { return }
        reports.append(
            Report(
                name: ReportName(part.name), title: title, explanation: explanation, partner: partner, insights: names,
                period: period, schedule: schedule, formats: formats, deliveries: deliveries,
                locale: locale ?? .english, split: split ?? .say, language: language))
    }

    private mutating func checkPeriods(
        of names: [InsightName], _ period: PeriodKind, in body: PlanBody<PlanKeys.Report>
    ) {
        for name in names {
            if period > .day, let insight = insights.first(where: { $0.name == name }), insight.asksForLastWeek {
                problems.add(
                    body[.period]?.place,
                    """
                    \(body.subject) covers a \(period.rawValue), but insight '\(name)' compares with 'week_before', which \
                    hours and days have; use 'period_before'
                    """)
            }
            guard let insight = insights.first(where: { $0.name == name }),
                let metric = metrics.first(where: { $0.name == insight.metric }), metric.period != period,
                !metric.rollups.contains(period)
            else { continue }
            let fix = metric.period.rollups.contains(period) ? ", or 'rollups: [\(period.rawValue)]' in the metric" : ""
            problems.add(
                body[.period]?.place,
                """
                \(body.subject) covers a \(period.rawValue), but insight '\(name)' reads metric '\(metric.name)', \
                which counts by \(metric.period.rawValue); use one period\(fix)
                """)
        }
    }

    private mutating func schedule(in body: PlanBody<PlanKeys.Report>) -> CronSchedule? {
        guard let node = body[.schedule], let written = text(.schedule, in: body) else { return nil }
        do {
            return try CronSchedule(written)
        } catch {
            return problems.refuse(node.place, "\(body.subject(.schedule)): \(error)")
        }
    }
}

extension Insight {
    fileprivate var asksForLastWeek: Bool {
        guard case .change(let references) = view else { return false }
        return references.contains(.weekBefore)
    }
}
