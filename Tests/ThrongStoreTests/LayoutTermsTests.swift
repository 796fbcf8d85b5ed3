import TestCluster
import Testing

@testable import ThrongPlan
@testable import ThrongStore

@Suite("What a plan asks of a metric's releases is kept with its layout")
struct LayoutTermsTests {
    private static let terms = ReleaseTerms(
        threshold: Threshold(devices: 50),
        expiry: [
            DecayStep(after: .seconds(30 * 86_400), action: .drop("step")),
            DecayStep(after: .seconds(90 * 86_400), action: .delete),
        ])

    @Test("the last plan's terms are kept, also once plans no longer have the layout")
    func kept() async throws {
        let settings = try await TestCluster.database()
        let (counters, releases) = (CounterStore(settings), ReleaseStore(settings))
        let (layout, other) = (MetricLayout.sample(), MetricLayout.sample(steps: ["other"]))
        #expect(try await releases.terms(of: layout) == nil)
        try await counters.registerLayouts([layout], terms: [layout: ReleaseTerms(threshold: .standard)])
        try await counters.registerLayouts([layout], terms: [layout: Self.terms])
        try await counters.registerLayouts([other])
        #expect(
            try await releases.terms(of: layout) == ReleaseTerms(threshold: Self.terms.threshold),
            "its expiry is a promise of its own")
        #expect(try await releases.terms(of: other) == nil, "no plan said so")
    }

    @Test("each plan's terms are kept with when it was in force; starting again with the same plan keeps nothing new")
    func versions() async throws {
        let settings = try await TestCluster.database()
        let admin = Connection(settings)
        defer { admin.close() }
        // However long it takes from registering a layout to its terms: after a minute it was counted without any.
        try await admin.execute(
            "alter table throng.metric_layout alter column created_at set default now() + interval '1 day'")
        let counters = CounterStore(settings)
        let (layout, other) = (MetricLayout.sample(), MetricLayout.sample(metric: "sales"))
        let first = [layout: Self.terms, other: Self.terms]
        #expect(try await counters.registerLayouts([layout, other], terms: first) == [])
        #expect(try await counters.registerLayouts([layout, other], terms: first) == [])
        let edited = [layout: ReleaseTerms(threshold: .standard), other: Self.terms]
        #expect(try await counters.registerLayouts([layout, other], terms: edited) == ["orders"])
        // The next plan has no sales any more, and the one after it has them again.
        let without = [layout: ReleaseTerms(threshold: .standard)]
        #expect(try await counters.registerLayouts([layout], terms: without) == [])
        #expect(try await counters.registerLayouts([layout, other], terms: edited) == [])
        let found = try await admin.texts(
            """
            select metric || ' ' || place || ' ' || layout_terms.threshold || case when until is null then '' else ' over' end
            from throng.layout_terms join throng.metric_layout using (metric_id)
            order by metric, place
            """)
        #expect(found == ["orders 1 50 over", "orders 2 20", "sales 1 50 over", "sales 2 50"])
        let times = "select count(distinct since) from throng.layout_terms where place = 1"
        #expect(try await admin.integer(times) == 1, "the metrics of a plan come into force together")
    }

    @Test(
        "what dimensions are made from is kept, and terms that were kept without it take it over"
    )
    func origins() async throws {
        let settings = try await TestCluster.database()
        let counters = CounterStore(settings)
        let layout = MetricLayout.sample()
        func terms(_ field: FieldName) -> [MetricLayout: ReleaseTerms] {
            let rule = BucketingRule.list([BucketGroup(label: "a", values: ["x, y", "\"z\""])])
            return [
                layout: ReleaseTerms(
                    threshold: .standard, origins: ["step": DimensionOrigin(field: field, rule: rule)])
            ]
        }
        let admin = Connection(settings)
        defer { admin.close() }
        let rows =
            "select place || ' ' || (origins -> 'step' ->> 'field') from throng.layout_terms order by place"
        #expect(try await counters.registerLayouts([layout], terms: terms("kind")) == [])
        try await admin.execute("update throng.layout_terms set origins = null")
        #expect(try await counters.registerLayouts([layout], terms: terms("kind")) == [])
        #expect(try await admin.texts(rows) == ["1 kind"])
        #expect(try await counters.registerLayouts([layout], terms: terms("other")) == ["orders"])
        #expect(try await admin.texts(rows) == ["1 kind", "2 other"])
        #expect(try await counters.registerLayouts([layout], terms: terms("other")) == [])
    }

    @Test("the stricter of two terms asks for what either asks for")
    func stricter() {
        let other = ReleaseTerms(
            threshold: Threshold(devices: 20), expiry: [DecayStep(after: .seconds(60 * 86_400), action: .delete)])
        #expect(
            Self.terms.stricter(with: other)
                == ReleaseTerms(
                    threshold: Threshold(devices: 50),
                    expiry: Self.terms.expiry + [DecayStep(after: .seconds(60 * 86_400), action: .delete)]))
    }
}
