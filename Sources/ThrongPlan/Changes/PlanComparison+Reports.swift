extension PlanComparison {
    mutating func compareReports() {
        compareRecipients()
        if old.annotations != new.annotations {
            note(.words, Part("the annotations"), "tell readers of trends something else")
        }
        for partner in new.partners {
            guard let former = old.partner(partner.name) else { continue }
            noteWords(
                Part("partner '\(partner.name)'"),
                [("title", former.title, partner.title), ("contact", former.contact, partner.contact)])
        }
        for report in new.reports {
            let (part, place) = (Part("report '\(report.name)'"), "reports.\(report.name)")
            guard let former = old.report(report.name) else {
                note(.runs, part, "is new")
                continue
            }
            noteWords(
                part,
                [
                    words("\(place).title", former.title, report.title),
                    words("\(place).explanation", former.explanation ?? "", report.explanation ?? ""),
                ])
            if former.insights != report.insights || former.period != report.period || former.formats != report.formats
                || old.language(of: former) != new.language(of: report)
            {
                note(.runs, part, "says something else, or says it otherwise")
            }
            if former.alert != report.alert { note(.runs, part, "goes under another condition") }
            if former.schedule != report.schedule || former.deliveries != report.deliveries
                || former.partner != report.partner
            {
                note(.runs, part, "goes at another time, or somewhere else")
            }
            if let reach = report.publicity, let before = former.publicity, reach != before {
                note(.runs, part, "\(reach == .listed ? "may" : "should not") be listed by search engines from then on")
            }
        }
        for report in old.reports where new.report(report.name) == nil {
            note(.runs, Part("report '\(report.name)'"), "is made no more")
        }
        for insight in new.insights {
            let (own, its) = (new.translations.words, old.translations.words)
            let keys = ["title", "explanation"].map { "insights.\(insight.name).\($0)" }
            guard let former = old.insight(insight.name),
                former != insight || keys.contains(where: { own[$0] != its[$0] })
            else { continue }
            let isWords =
                former.kind == insight.kind && former.metric == insight.metric && former.by == insight.by
                && former.filters == insight.filters && former.view == insight.view
            note(
                isWords ? .words : .runs, Part("insight '\(insight.name)'"),
                isWords ? "its words are others" : "asks for something else")
        }
    }

    /// Notes the partners who receive numbers of a metric from now on, or no more.
    private mutating func compareRecipients() {
        func pairs(_ plan: Plan) -> [PartnerName: Set<MetricName>] {
            var pairs: [PartnerName: Set<MetricName>] = [:]
            for metric in plan.metrics {
                for partner in plan.recipients(of: metric.name) { pairs[partner, default: []].insert(metric.name) }
            }
            return pairs
        }
        let (before, now) = (pairs(old), pairs(new))
        func part(_ partner: PartnerName, _ purpose: PurposeName?) -> Part {
            Part(partner == Partner.everybody ? "everybody" : "partner '\(partner)'", of: purpose)
        }
        for (partner, metrics) in now.sorted(by: { $0.key < $1.key }) {
            for metric in metrics.subtracting(before[partner] ?? []).sorted() {
                note(
                    .widens, part(partner, new.metric(metric)?.purpose),
                    "receives numbers of '\(metric)' that are counted from then on")
            }
        }
        for (partner, metrics) in before.sorted(by: { $0.key < $1.key }) {
            for metric in metrics.subtracting(now[partner] ?? []).sorted() {
                note(.tightens, part(partner, old.metric(metric)?.purpose), "receives numbers of '\(metric)' no more")
            }
        }
    }
}
