import TestCluster
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("an operator learns why a number was withheld", .serialized)
struct ExplanationTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android, windows, linux], partitions: devices}
          store: {title: Store, field: store, list: [apple, google], partitions: devices}
        metrics:
          views: {title: Views, events: [view], dimensions: [os], measures: {reach: true}, METRIC}
          installs:
            {title: Installs, events: [install], dimensions: [os, store], margins: [[os], [os, store]],
            impossible: [{os: ios, store: google}], METRIC}
        """.replacing(
            "METRIC",
            with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: day")

    private static func released(
        _ metric: MetricName, _ cells: [String: (events: Int64, devices: Int64)]
    ) async throws -> CountedShop {
        let shop = try await CountedShop(yaml)
        try await shop.count(metric, day: 0, cells.mapValues { .init(events: $0.events, devices: $0.devices) })
        let made = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(2))
        #expect(made.map(\.metric) == [metric])
        return shop
    }

    private static func explain(
        _ shop: CountedShop, _ metric: MetricName, _ buckets: [DimensionName: BucketLabel]
    ) async throws -> Explanation {
        try await shop.explainer.explain(metric, CountedShop.period(0), buckets, of: shop.plan)
    }

    @Test("a small one: how many devices are proved, and k; an empty one, which no reader can tell from it")
    func small() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25), "android": (7, 1)])
        let small = try await Self.explain(shop, "views", ["os": "android"])
        #expect(small.state == .small && small.cell == "os = android" && small.period == "2026-11-16")
        #expect(small.sentence.hasPrefix("Fewer than k: 1 device is proved behind it, and k is 20."))
        let beside = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(beside.state == .published, "nothing is withheld for another's sake")
        #expect(beside.sentence.hasPrefix("It is published: 100 events. 19 of 20 such numbers lie within"))
        let empty = try await Self.explain(shop, "views", ["os": "linux"])
        #expect(empty.state == .empty && empty.sentence.hasPrefix("Nothing was counted in it."))
    }

    @Test("one that was published the period before, too; and what helps a total that is small")
    func asBefore() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25)])
        try await shop.count(
            "views", day: 1, ["ios": .init(events: 90, devices: 24), "android": .init(events: 80, devices: 22)])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(3))
        func sentence(_ day: Int, _ buckets: [DimensionName: BucketLabel]) async throws -> String {
            try await shop.explainer.explain("views", CountedShop.period(day), buckets, of: shop.plan).sentence
        }
        #expect(try await sentence(0, ["os": "ios"]).hasPrefix("It is published: 100 events."))
        #expect(try await sentence(1, ["os": "ios"]).hasPrefix("It is published, as before: 90 events."))
        #expect(try await sentence(1, ["os": "android"]).hasPrefix("It is published: 80 events."))
        let small = try await Self.released("views", ["android": (7, 1)])
        let total = try await Self.explain(small, "views", [:])
        #expect(total.state == .small && total.sentence.hasSuffix("A longer period shows more."))
        let split = try await Self.explain(small, "views", ["os": "android"])
        #expect(split.sentence.hasSuffix("Fewer dimensions or a longer period show more."))
    }

    @Test("one near k; and one of which the reason has gone with the counters")
    func near() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25), "android": (7, 1)])
        let owner = Connection(shop.settings)
        try await owner.execute("update throng.withheld_cell set reason = 1, floor = null")
        let near = try await Self.explain(shop, "views", ["os": "android"])
        #expect(near.state == .nearThreshold)
        #expect(near.sentence.hasPrefix("Near k: 20 devices or more are proved behind it,"))
        try await owner.execute("delete from throng.withheld_cell")
        #expect(try await Self.explain(shop, "views", ["os": "android"]).state == .forgotten)
    }

    @Test("what the plan rules out cannot occur; of a split that nobody asks for it says what there is")
    func impossible() async throws {
        let shop = try await Self.released("installs", ["ios apple": (100, 25), "android google": (300, 70)])
        let explanation = try await Self.explain(shop, "installs", ["os": "ios", "store": "google"])
        #expect(explanation.state == .impossible)
        #expect(explanation.sentence == "The plan says that this combination cannot occur.")
        let other = try await Self.explain(shop, "installs", ["store": "apple"])
        #expect(other.state == .notAsked && other.sentence.hasSuffix("The release shows: total; os; os by store."))
    }

    @Test("what is not there is refused with what there is")
    func errors() async throws {
        let shop = try await Self.released("installs", ["ios apple": (100, 25), "android google": (300, 70)])
        func message(
            _ metric: MetricName, _ period: Period, _ buckets: [DimensionName: BucketLabel]
        ) async throws -> String {
            let error = await #expect(throws: ExplanationError.self) {
                try await shop.explainer.explain(metric, period, buckets, of: shop.plan)
            }
            return try #require(error).description
        }
        let day = CountedShop.period(0)
        #expect(
            try await message("clicks", day, [:]) == "The plan has no metric 'clicks'. It has: views, installs.")
        #expect(
            try await message("installs", CountedShop.period(1), [:]).hasPrefix(
                "There is no release of installs for 2026-11-17: nothing was counted in it, or its release waits."))
        #expect(
            try await message("installs", day, ["browser": "Firefox"])
                == "The metric has no dimension 'browser'. It has: os, store.")
        #expect(
            try await message("installs", day, ["os": "Ios"])
                == "The dimension os has no bucket 'Ios'. It has: ios, android, windows, linux, other.")
    }
}
