import TestCluster
import Testing
import ThrongPlan
import ThrongPostgres
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
          channel: {title: Channel, field: channel, list: [search, mail]}
          store: {title: Store, field: store, list: [apple, google], partitions: devices}
          tag: {title: Tag, field: tag, list: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u], partitions: devices}
        metrics:
          views: {title: Views, events: [view], dimensions: [os], measures: {reach: true}, METRIC}
          sources: {title: Sources, events: [view], dimensions: [channel], METRIC}
          tags: {title: Tags, events: [tag], dimensions: [tag], METRIC}
          installs:
            {title: Installs, events: [install], dimensions: [os, store], margins: [[os], [os, store]],
            impossible: [{os: ios, store: google}], METRIC}
          orders:
            {title: Orders, events: [order], dimensions: [os],
            measures: {sums: {spent: {field: spent, from: 0, to: 1000, decimals: 2, unit: EUR}}}, METRIC}
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

    @Test("a small cell: how many devices are proved, and k; one beside it: which it gives away, and by which equation")
    func small() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25), "android": (7, 1)])
        let small = try await Self.explain(shop, "views", ["os": "android"])
        #expect(small.state == .sensitive)
        #expect(small.cell == "os = android")
        #expect(small.period == "2026-11-16")
        #expect(small.sentence == "It is small: 1 device is proved behind it, and k is 20.")
        #expect(small.equation == nil)
        let beside = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(beside.state == .complementary)
        #expect(
            beside.sentence == "With it and more useful numbers, anyone could compute os = android, which is withheld.")
        let equation = try #require(beside.equation)
        #expect(equation.whole.cell == "total")
        #expect(equation.whole.count == 107)
        #expect(equation.parts.map(\.cell) == ["ios", "android", "windows", "linux", "other"].map { "os = \($0)" })
        #expect(equation.parts.allSatisfy { $0.count == nil })
        let whole = try await Self.explain(shop, "views", [:])
        #expect(whole.state == .published)
        #expect(whole.sentence == "It is published: 107 events.")
    }

    @Test("an empty cell is told from a small one, which no reader can do")
    func empty() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25), "android": (7, 5)])
        let empty = try await Self.explain(shop, "views", ["os": "linux"])
        #expect(empty.state == .empty)
        #expect(empty.sentence.hasPrefix("Nothing was counted in it."))
    }

    @Test("a rest that would be small: the whole that it is a rest of, and the parts that are published")
    func rest() async throws {
        let shop = try await Self.released(
            "views", ["ios": (100, 30), "android": (7, 5), "windows": (8, 6), "linux": (400, 90)])
        let explanation = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(explanation.state == .complementary)
        #expect(
            explanation.sentence == """
                With it, what is left of total after its published parts would be a group of fewer than 20 proved \
                devices, which anyone could compute by subtraction.
                """)
        let equation = try #require(explanation.equation)
        #expect(equation.whole.count == 515)
        #expect(equation.parts.map(\.count) == [nil, nil, nil, 400, nil])
    }

    @Test("a whole whose parts are all small stands on its own floor, although channels do not partition devices")
    func ownFloor() async throws {
        let shop = try await Self.released("sources", ["search": (60, 15), "mail": (50, 15)])
        #expect(try await Self.explain(shop, "sources", [:]).sentence == "It is published: 110 events.")
        #expect(try await Self.explain(shop, "sources", ["channel": "mail"]).state == .sensitive)
    }

    @Test("a range that would be too narrow")
    func bounds() async throws {
        let shop = try await Self.released(
            "views", ["ios": (1000, 75), "android": (300, 15), "windows": (8, 8), "linux": (100, 80)])
        let explanation = try await Self.explain(shop, "views", ["os": "linux"])
        #expect(explanation.state == .complementary)
        #expect(
            explanation.sentence
                == "With it and more useful numbers, a withheld cell would lie in too narrow a range.")
    }

    @Test("a number of devices that would say how few another has")
    func devices() async throws {
        let shop = try await Self.released("views", ["ios": (1000, 75), "android": (500, 5), "windows": (500, 15)])
        let explanation = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(explanation.state == .complementary)
        #expect(
            explanation.sentence == "Its number of devices would give away how few are behind a withheld cell.")
    }

    @Test("a crowd of which each device is alone in its cell")
    func singles() async throws {
        let labels = (0..<21).map { String(UnicodeScalar(UInt8(ascii: "a") + $0)) }
        let shop = try await Self.released(
            "tags", Dictionary(uniqueKeysWithValues: labels.map { ($0, (events: 1, devices: 1)) }))
        // They are k together, and of each of them another table has all of the others' events.
        #expect(try await Self.explain(shop, "tags", [:]).state == .published)
        #expect(try await Self.explain(shop, "tags", ["tag": "a"]).state == .sensitive)
    }

    @Test("a sum that one device makes up")
    func dominated() async throws {
        let shop = try await CountedShop(Self.yaml)
        try await shop.count(
            "orders", day: 0,
            [
                "ios": .init(events: 100, devices: 30, sum: 100_000, largest: 1500, second: 1000),
                "android": .init(events: 100, devices: 30, sum: 100_000, largest: 90_000, second: 9000),
                "windows": .init(events: 100, devices: 30, sum: 200_000, largest: 1500, second: 1000),
            ])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(2))
        let explanation = try await Self.explain(shop, "orders", ["os": "android"])
        #expect(explanation.state == .sensitive)
        #expect(
            explanation.sentence.hasPrefix("One or two devices make up nearly all of its events or of one of its sums"))
        #expect(explanation.sentence.contains("10 %"))
        let others = [
            try await Self.explain(shop, "orders", ["os": "ios"]),
            try await Self.explain(shop, "orders", ["os": "windows"]),
        ]
        #expect(Set(others.map(\.state)) == [.published, .complementary], "one of them hides it, not both")
    }

    @Test("what the plan rules out cannot occur, and stands in no equation")
    func impossible() async throws {
        let shop = try await Self.released(
            "installs",
            ["ios apple": (100, 25), "ios other": (7, 5), "android google": (300, 70), "android other": (60, 30)])
        let explanation = try await Self.explain(shop, "installs", ["os": "ios", "store": "google"])
        #expect(explanation.state == .impossible)
        #expect(explanation.sentence == "The plan says that this combination cannot occur.")
        let beside = try await Self.explain(shop, "installs", ["os": "ios", "store": "apple"])
        let parts = try #require(beside.equation).parts.map(\.cell)
        #expect(parts == ["os = ios, store = apple", "os = ios, store = other"])
    }

    @Test("rare reasons are read back as they were written: no proof in time, and a range around a named cell")
    func rare() async throws {
        let shop = try await Self.released("views", ["ios": (100, 25), "android": (7, 5)])
        let connection = Connection(shop.settings)
        try await connection.execute(
            """
            update throng.withheld_cell
            set reason = 7, other_period_kind = null, other_period_start = null, other_margin = null, other_cell = null
            where reason = 2
            """)
        let coarsened = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(coarsened.state == .complementary)
        #expect(coarsened.sentence.contains("no proof was found,"))
        #expect(coarsened.sentence.contains("--seconds"))
        try await connection.execute(
            """
            update throng.withheld_cell
            set reason = 3, other_period_kind = 1, other_period_start = to_timestamp(\(CountedShop.start(-1))),
                other_margin = 1, other_cell = 1
            where reason = 7
            """)
        let bounds = try await Self.explain(shop, "views", ["os": "ios"])
        #expect(bounds.sentence.contains("os = android of the day 2026-11-15, which is withheld, lies in too narrow"))
        #expect(bounds.equation == nil, "an equation of another day is not this day's")
        try await connection.execute("delete from throng.withheld_cell")
        #expect(try await Self.explain(shop, "views", ["os": "ios"]).state == .forgotten)
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
            try await message("clicks", day, [:])
                == "The plan has no metric 'clicks'. It has: views, sources, tags, installs, orders.")
        #expect(
            try await message("installs", CountedShop.period(1), [:]).hasPrefix(
                "There is no release of installs for 2026-11-17. `throng release` makes those that are due"))
        #expect(
            try await message("installs", day, ["browser": "Firefox"])
                == "The metric has no dimension 'browser'. It has: os, store.")
        #expect(
            try await message("installs", day, ["os": "Ios"])
                == "The dimension os has no bucket 'Ios'. It has: ios, android, windows, linux, other.")
        #expect(
            try await message("installs", day, ["store": "apple"])
                == """
                The release does not show this grouping: no insight and no margin of the plan asks for it. It shows: \
                total; os; os by store.
                """)
    }
}
