internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of all metrics of which something is released, by app.
enum CatalogueView {
    static func of(_ metrics: [AnalystMetric], titles: ExplorerTitles, frame: PageFrame) -> TemplateView {
        let apps = Set(metrics.map(\.app)).sorted { $0.text < $1.text }.map { app -> TemplateView in
            // One entry a metric: the current layout, else the latest one; its page leads to the others.
            var seen: Set<MetricName> = []
            let own = metrics.filter { $0.app == app && seen.insert($0.metric).inserted }
                .sorted { titles.metric($0) < titles.metric($1) }
            return [
                "appAnchor": "app-\(app)", "appTitle": titles.app(app), "entries": own.map { entry($0, titles) },
            ]
        }
        return ["frame": frame, "apps": apps]
    }

    private static func entry(_ metric: AnalystMetric, _ titles: ExplorerTitles) -> TemplateView {
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        let released = metric.spans.map { span in
            let last = calendar.period(span.kind, containing: span.end - 1)
            return "\(Wording.english.count(span.periods, span.kind.rawValue)), until \(calendar.title(of: last))"
        }
        let dimensions = metric.dimensions.map { titles.dimension($0, of: metric) }
        return [
            "entryHref": "/explore?" + AddressQuery.text([("app", metric.app.text), ("metric", metric.metric.text)]),
            "entryTitle": titles.metric(metric),
            "questions": [titles.question(metric)].compactMap(\.self),
            "released": released.joined(separator: "; "),
            "splits": dimensions.isEmpty ? [] : [dimensions.joined(separator: ", ")],
        ]
    }
}
