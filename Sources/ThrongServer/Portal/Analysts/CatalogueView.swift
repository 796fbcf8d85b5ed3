internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of all metrics of which something is released, by app, each with its last number and how that came to be.
enum CatalogueView {
    /// The most periods of a trend.
    static let mostPeriods = 30

    /// - Parameter trends: the totals of a metric's last periods.
    static func of(
        _ metrics: [AnalystMetric], trends: [AnalystMetric: ExplorerAnswer], titles: ExplorerTitles, frame: PageFrame
    ) -> TemplateView {
        let apps = Set(metrics.map(\.app)).sorted { $0.text < $1.text }.map { app -> TemplateView in
            // One entry a metric: the current layout, else the latest one; its page leads to the others.
            var seen: Set<MetricName> = []
            let own = metrics.filter { $0.app == app && seen.insert($0.metric).inserted }.sorted {
                titles.metric($0) < titles.metric($1)
            }
            return [
                "appAnchor": "app-\(app)", "appTitle": titles.app(app),
                "entries": own.map { entry($0, trends[$0], titles) },
            ]
        }
        return ["frame": frame, "apps": apps, "nothing": titles.language.say(.nothingHereWhy, ["kind": "metric"])]
    }

    private static func entry(_ metric: AnalystMetric, _ trend: ExplorerAnswer?, _ titles: ExplorerTitles)
        -> TemplateView
    {
        let language = titles.language
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        let released = metric.spans.map { span in
            let last = calendar.title(of: calendar.period(span.kind, containing: span.end - 1), in: language)
            let periods = Wording(language).periods(Int(span.periods), span.kind)
            return language.say(.exploreUntil, ["periods": periods, "date": last])
        }
        let dimensions = metric.dimensions.map { titles.dimension($0, of: metric) }
        return [
            "entryHref": "/explore?" + AddressQuery.text([("app", metric.app.text), ("metric", metric.metric.text)]),
            "entryTitle": titles.metric(metric), "questions": [titles.question(metric)].compactMap(\.self),
            "latest": trend.map { [latest($0)] } ?? [], "sparks": trend?.sparks ?? [],
            "released": released.joined(separator: "; "),
            "splits": dimensions.isEmpty
                ? []
                : [
                    language.say(
                        .labelFact, ["topic": "splitBy", "text": dimensions.joined(separator: language.say(.comma))])
                ],
        ]
    }

    /// "Saturday, 21 November 2026: about 9,341 events; +2.1% since 20 Nov".
    private static func latest(_ trend: ExplorerAnswer) -> String {
        guard let row = trend.rows.last else { return "" }
        let (calendar, language) = (trend.choice.calendar, trend.titles.language)
        let change = trend.figures.first { $0.kind == .change }.map { trend.mark($0, trend.rows.count - 1) }
        let changed: String? = if case .number(_, let text, _)? = change { text } else { nil }
        let earlier = trend.rows.dropLast().last.map { trend.short($0) }
        return language.say(
            .exploreLatest,
            [
                "period": calendar.title(of: calendar.period(trend.choice.kind, containing: row.start), in: language),
                "number": trend.mark(row).words(in: language), "hasChange": changed != nil && earlier != nil,
                "amount": changed ?? "", "date": earlier ?? "",
            ])
    }
}

extension ExplorerAnswer {
    /// A small drawing of the rows of a total; none of one number alone.
    fileprivate var sparks: [Any] {
        guard let periods, periods.count > 1 else { return [] }
        let known = Dictionary(rows.map { ($0.start, mark($0)) }) { first, _ in first }
        return [Charts.spark(periods.map { known[$0.start] ?? missing })]
    }
}
