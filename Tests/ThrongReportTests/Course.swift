import ThrongRelease
import ThrongReport

@testable import ThrongPlan

/// The shop over some weeks, with every way to show a number: for tests of rankings, changes, trends and quantiles.
struct Course {
    /// By weeks ago, the shop then; nil has no release.
    var weeks: [Shop?]
    var locale = Language.english
    var alert: Alert?
    var annotations: [Annotation] = []
    /// The number of weeks ago up to which a former version of the plan counted; nil for none.
    var former: Int?
    var insights: [Insight] = Course.usual
    /// When the metrics were released first; by what there is unless given.
    var began: UnixSeconds?

    /// Five weeks of which the third has no release and the fourth saw hardly anybody.
    init() {
        var before = Shop()
        before.views[0][0] = (7510, 1811)
        before.views[1][0] = (1403, 322)
        before.views[4] = [(9, 4), (2, 1), (0, 0), (1, 1), (0, 0)]
        before.checkouts[0][3] = (90, 640_110, 88)
        var few = Shop()
        few.views = few.views.map { $0.map { _ in (2, 0) } }
        few.views[0][0] = (40, 12)
        var first = Shop()
        first.views[2][0] = (3105, 801)
        weeks = [Shop(), before, nil, few, first]
    }

    init(_ weeks: [Shop?], insights: [Insight]) {
        self.weeks = weeks
        self.insights = insights
    }

    static var usual: [Insight] {
        let shop = Shop()
        func insight(
            _ name: InsightName, _ title: String, _ kind: Insight.Kind, by: [DimensionName] = [],
            of metric: MetricName = "product_views", _ view: Insight.View = .table
        ) -> Insight {
            shop.insight(name, title, kind, by: by, of: metric, view: view)
        }
        let phones = Insight.Kind.share(of: .events, part: Insight.Filter(dimension: "device", bucket: "Phone"))
        return [
            insight("change", "Product views", .count, .change(against: [.periodBefore])),
            insight("share_change", "Views on a phone", phones, .change(against: [.periodBefore])),
            insight("trend", "Product views, week by week", .count, .trend(periods: 6)),
            insight("top", "Where people look", .count, by: ["region"], .ranking(top: 3)),
            insight("top_pairs", "On what, where", .count, by: ["device", "region"], .ranking(top: 5)),
            insight(
                "device_change", "Product views by device", .count, by: ["device"], .change(against: [.periodBefore])),
            insight("device_trend", "Devices, week by week", .reach, by: ["device"], .trend(periods: 6)),
            insight(
                "mean_change", "Average basket", .mean(sum: "basket"), of: "checkouts",
                .change(against: [.periodBefore])),
            insight(
                "quantiles", "What baskets stay below",
                .quantiles(at: [.median, Quantile(perMille: 900), Quantile(perMille: 999)]), of: "checkouts"),
            insight(
                "device_quantiles", "The same by device", .quantiles(at: [.median]), by: ["device"], of: "checkouts"),
        ]
    }

    var plan: Plan {
        var plan = Shop().plan.with(insights: insights, locale: locale)
        plan.annotations = annotations
        return plan
    }

    /// The week so many weeks before the report's.
    static func week(_ ago: Int) -> Period {
        var period = Shop.period
        for _ in 0..<ago { period = Shop.calendar.period(.week, containing: period.start - 1) }
        return period
    }

    var releases: [Release] {
        let plan = plan
        return weeks.enumerated().flatMap { ago, shop -> [Release] in
            guard let shop else { return [] }
            let plan = former.map { ago >= $0 } == true ? plan.former : plan
            return [
                shop.viewsRelease(plan, in: Self.week(ago)), shop.checkoutsRelease(plan, in: Self.week(ago)),
            ]
        }
    }

    var document: ReportDocument { document(named: "weekly_course") }

    func document(named name: ReportName) -> ReportDocument {
        let plan = plan
        var report = plan.reports[0]
        report = Report(
            name: name, title: report.title, explanation: report.explanation, partner: report.partner,
            insights: report.insights, period: report.period, schedule: nil, formats: report.formats, deliveries: [],
            language: report.language, alert: alert)
        return ReportDocument(
            plan: plan, report: report, period: Shop.period, releases: releases,
            began: began.map { ["product_views": $0, "checkouts": $0] } ?? [:], locale: locale)
    }

    func answer(_ name: InsightName) -> InsightAnswer? { document.answers.first { $0.insight.name == name } }
}
