extension PlanComparison {
    mutating func compareReports() {
        let (before, now) = (Self.recipients(of: old), Self.recipients(of: new))
        for pair in now.subtracting(before).sorted() {
            note(
                .widens, "partner '\(pair.partner)'",
                "receives numbers of '\(pair.metric)' that are counted from then on",
                purpose: new.metric(pair.metric)?.purpose)
        }
        for pair in before.subtracting(now).sorted() {
            note(
                .tightens, "partner '\(pair.partner)'", "receives numbers of '\(pair.metric)' no more",
                purpose: old.metric(pair.metric)?.purpose)
        }
        for partner in new.partners {
            guard let former = old.partners.first(where: { $0.name == partner.name }) else { continue }
            noteWords(
                "partner '\(partner.name)'",
                [("title", former.title, partner.title), ("contact", former.contact, partner.contact)])
        }
        for report in new.reports {
            let subject = "report '\(report.name)'"
            guard let former = old.reports.first(where: { $0.name == report.name }) else {
                note(.runs, subject, "is new")
                continue
            }
            noteWords(
                subject,
                [
                    words("reports.\(report.name).title", former.title, report.title),
                    words(
                        "reports.\(report.name).explanation", former.explanation ?? "", report.explanation ?? ""),
                ])
            if former.insights != report.insights || former.period != report.period || former.formats != report.formats
                || former.locale != report.locale || old.language(of: former) != new.language(of: report)
            {
                note(.runs, subject, "says something else, or says it otherwise")
            }
            if former.schedule != report.schedule || former.deliveries != report.deliveries
                || former.partner != report.partner
            {
                note(.runs, subject, "goes at another time, or somewhere else")
            }
        }
        for report in old.reports where !new.reports.contains(where: { $0.name == report.name }) {
            note(.runs, "report '\(report.name)'", "is made no more")
        }
        for insight in new.insights {
            let place = "insights.\(insight.name)"
            guard let former = old.insights.first(where: { $0.name == insight.name }),
                former != insight
                    || old.translations.words["\(place).title"] != new.translations.words["\(place).title"]
                    || old.translations.words["\(place).explanation"] != new.translations.words["\(place).explanation"]
            else { continue }
            let isWords =
                former.kind == insight.kind && former.metric == insight.metric && former.by == insight.by
                && former.filters == insight.filters && former.view == insight.view
            note(
                isWords ? .words : .runs, "insight '\(insight.name)'",
                isWords ? "its words are others" : "asks for something else")
        }
    }

    private struct Recipient: Hashable, Comparable {
        let partner: PartnerName
        let metric: MetricName

        static func < (left: Self, right: Self) -> Bool { (left.partner, left.metric) < (right.partner, right.metric) }
    }

    /// Returns the pairs of a partner and a metric whose numbers it receives.
    private static func recipients(of plan: Plan) -> Set<Recipient> {
        Set(
            plan.metrics.flatMap { metric in
                plan.recipients(of: metric.name).map { Recipient(partner: $0, metric: metric.name) }
            })
    }
}
