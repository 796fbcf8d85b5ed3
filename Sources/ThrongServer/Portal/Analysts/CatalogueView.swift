internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

struct CatalogueView {
    struct House {
        let appAnchor: String
        let appTitle: String
        let entries: [Entry]
    }

    struct Entry {
        let entryHref: String
        let entryTitle: String
        let questions: [String]
        let released: String
        let splits: [String]
    }

    let frame: PageFrame
    let apps: [House]

    init(_ metrics: [AnalystMetric], titles: ExplorerTitles, frame: PageFrame) {
        self.frame = frame
        var apps: [House] = []
        for app in Set(metrics.map(\.app)).sorted(by: { $0.text < $1.text }) {
            // One entry a metric: the current layout, else the latest one; its page leads to the others.
            var seen: Set<MetricName> = []
            let own = metrics.filter { $0.app == app && seen.insert($0.metric).inserted }
            apps.append(
                House(
                    appAnchor: "app-\(app)", appTitle: titles.app(app),
                    entries: own.map { Self.entry($0, titles) }.sorted { $0.entryTitle < $1.entryTitle }))
        }
        self.apps = apps
    }

    private static func entry(_ metric: AnalystMetric, _ titles: ExplorerTitles) -> Entry {
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        let released = metric.spans.map { span in
            let last = calendar.period(span.kind, containing: span.end - 1)
            return "\(Wording.english.count(span.periods, span.kind.rawValue)), until \(calendar.title(of: last))"
        }
        let dimensions = metric.dimensions.map { titles.dimension($0, of: metric) }
        return Entry(
            entryHref: "/explore?"
                + AddressQuery.text([("app", metric.app.text), ("metric", metric.metric.text)]),
            entryTitle: titles.metric(metric),
            questions: [titles.question(metric)].compactMap { $0 },
            released: released.joined(separator: "; "),
            splits: dimensions.isEmpty ? [] : [dimensions.joined(separator: ", ")])
    }
}
