import TestCluster
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("A release names its slots as they are called when it is made", .serialized)
struct RevealedReleaseTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
        dimensions:
          query: {title: Search term, field: query, revealed: {most: 50}}
        metrics:
          searches:
            {title: Searches, events: [search], dimensions: [query], rollups: [week], measures: {reach: true}, METRIC}
        insights:
          terms: {title: Terms, metric: searches, kind: count, by: [query]}
        partners:
          press: {title: Press, contact: press@example.com}
        reports:
          daily: {title: Daily, partner: press, insights: [terms], period: day}
        """.replacing(
            "METRIC",
            with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: day")

    private let shop: CountedShop
    private let labels: LabelStore

    init() async throws {
        shop = try await CountedShop(Self.yaml)
        labels = LabelStore(shop.settings)
    }

    /// The name of a label's slot as counters know it.
    private func slot(_ label: BucketLabel) async throws -> String {
        let slot = try await labels.learn(label, of: "query", app: "shop", most: 50)
        return BucketLabel.vacant(try #require(slot)).text
    }

    private func released(_ metric: MetricName, _ period: Period) async throws -> Release {
        let found = try await shop.store.releases(
            app: "shop", metric: metric, periodKind: period.kind, from: period.start, to: period.start + 1)
        return try #require(found.first)
    }

    private func counts(_ release: Release) -> [String: Int64] {
        let layout = release.header.layout
        var counts: [String: Int64] = [:]
        for cell in release.cells {
            let kept = layout.dimensions.indices.filter(cell.margin.keeps)
            let names = zip(kept, layout.buckets(of: cell.cell, in: cell.margin)).map {
                layout.dimensions[$0].labels[$1].text
            }
            counts[names.joined(separator: " ")] = cell.count
        }
        return counts
    }

    @Test("a row of a report has the label; a slot without one is no row, and a small one is withheld by its name")
    func report() async throws {
        let pie = try await slot("apple pie")
        let tart = try await slot("tart")
        try await shop.count(
            "searches", day: 0,
            [
                pie: .init(events: 70, devices: 30), tart: .init(events: 5, devices: 4),
                "other": .init(events: 90, devices: 60),
            ])
        let made = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(2))
        #expect(made.map(\.metric) == ["searches"])
        // The total and three rows; forty-eight slots have no label and are no numbers.
        #expect(made[0].published + made[0].withheld == 4)
        let release = try await released("searches", CountedShop.period(0))
        #expect(release.header.layout.dimensions[0].shownLabels == ["apple pie", "tart", .other])
        let counts = counts(release)
        #expect(counts == ["": 165, "apple pie": 70, "other": 90])
        let scheduler = ReportScheduler(store: shop.store, rules: .system, folder: "/nonexistent")
        let document = try await scheduler.document(
            of: try #require(shop.plan.reports.first), plan: shop.plan, period: CountedShop.period(0),
            now: CountedShop.start(1))
        guard case .answered(let answered) = document.answers[0].outcome else {
            Issue.record("there is no answer")
            return
        }
        #expect(answered.axes[0].labels == ["apple pie", "tart", .other])
        #expect(answered.table.rows.map(\.buckets) == [["apple pie"], ["tart"], [.other]])
        #expect(answered.table.rows[1].figure == .withheld)
        let explanation = try await shop.explainer.explain(
            "searches", CountedShop.period(0), ["query": "tart"], of: shop.plan)
        #expect(explanation.state == .small)
        #expect(explanation.cell == "query = tart")
        #expect(explanation.sentence.hasPrefix("Fewer than k: 4 devices are proved behind it, and k is 20."))
        await #expect(throws: ExplanationError.self) {
            try await shop.explainer.explain("searches", CountedShop.period(0), ["query": "cake"], of: shop.plan)
        }
        let analyst = Connection(shop.settings.acting(as: .analyst))
        let rows = try await analyst.texts(
            "select concat(query, ' ', coalesce(events::text, withheld)) from analyst.shop_searches order by 1")
        // A learned label is no secret; a slot without one has no row.
        let expected = ["", "apple pie", "tart", "other"].map { name in
            "\(name.isEmpty ? "(all)" : name) \(counts[name].map { "\($0)" } ?? Withheld.wording)"
        }
        #expect(rows == expected.sorted())
    }

    @Test("what was released keeps its names, whatever becomes of a label; a week over days has the names of its time")
    func immutable() async throws {
        let pie = try await slot("pie")
        for day in 0..<6 {
            try await shop.count(
                "searches", day: day, [pie: .init(events: 70, devices: 30), "other": .init(events: 90, devices: 60)])
        }
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(5))
        let before = try await released("searches", CountedShop.period(0))
        #expect(counts(before)["pie"] == 70)
        // The same slot under another name: a migration by hand, which must not reach what was released.
        let tart = try await slot("tart")
        try await shop.count(
            "searches", day: 6, [tart: .init(events: 80, devices: 40), "other": .init(events: 90, devices: 60)])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(9))
        let week = try await released("searches", CountedShop.week)
        #expect(counts(week)["pie"] == 420)
        #expect(counts(week)["tart"] == 80)
        #expect(week.header.layout.dimensions[0].shownLabels == ["pie", "tart", .other])
        try await Connection(shop.settings).execute("delete from throng.revealed_label")
        #expect(try await released("searches", CountedShop.period(0)) == before)
        #expect(before.header.layout.dimensions[0].shownLabels == ["pie", .other])
    }

    @Test("a label lives on with what is published of it, and on nothing else")
    func published() async throws {
        let pie = try await slot("pie")
        let tart = try await slot("tart")
        try await shop.count(
            "searches", day: 0,
            [
                pie: .init(events: 70, devices: 30), tart: .init(events: 5, devices: 4),
                "other": .init(events: 90, devices: 60),
            ])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(2))
        let noted = try await Connection(shop.settings).texts(
            "select label from throng.revealed_label where published_at is not null")
        #expect(noted == ["pie"])
    }
}
