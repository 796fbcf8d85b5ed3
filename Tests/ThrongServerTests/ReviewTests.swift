import TestCluster
import Testing
import ThrongPlan
import ThrongPostgres
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("an operator learns what withholding cost, for which bucket, and what would help", .serialized)
struct ReviewTests {
    private static func yaml(
        systems: String = "[ios, android, windows, linux]", groups: String = "", margins: String = "", more: String = ""
    ) -> String {
        """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: \(systems), partitions: devices}
          place: {title: Place, field: place, list: [a, b, c, d, e, f, g, h], partitions: devices}
          \(groups)
        metrics:\(more)
          views: {title: Views, events: [view], dimensions: [os], METRIC}
          weekly: {title: Weekly, events: [tap], dimensions: [os], rollups: [week], METRIC}
          both: {title: Both, events: [click], dimensions: [os, place], margins: [[os], [os, place]\(margins)], METRIC}
        """.replacing(
            "METRIC",
            with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: day")
    }

    private typealias Counted = [String: (events: Int64, devices: Int64)]

    /// A shop whose days were counted and released.
    private static func released(
        _ metric: MetricName, _ days: [Counted], _ yaml: String = yaml()
    ) async throws -> CountedShop {
        let shop = try await CountedShop(yaml)
        for (day, cells) in days.enumerated() {
            try await shop.count(metric, day: day, cells.mapValues { .init(events: $0.events, devices: $0.devices) })
            _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(day + 2))
        }
        return shop
    }

    private static func review(_ shop: CountedShop, _ metric: MetricName, day: Int = 0) async throws -> ReleaseReview {
        try await shop.explainer.review(metric, CountedShop.period(day), of: shop.plan)
    }

    private static let small: Counted = ["ios": (100, 25), "android": (7, 5), "windows": (400, 90)]

    @Test("what a bucket cost, what it cost it of, how often it was small, and what each grouping showed")
    func costs() async throws {
        var large = Self.small
        large["android"] = (60, 30)
        let shop = try await Self.released("views", [Self.small, Self.small, large, Self.small])
        let review = try await Self.review(shop, "views", day: 3)
        #expect(review.isKnown)
        #expect(review.groupings.map(\.dimensions) == [[], ["os"]])
        #expect(review.groupings[0].shown == 1)
        let shown = try #require(review.groupings[1].shown)
        let publishable = try #require(review.groupings[1].publishableShown)
        #expect(abs(shown - 400.0 / 507) < 1e-9 && abs(publishable - 0.8) < 1e-9)
        #expect(review.groupings[1].hidden == 1)
        let bucket = try #require(review.buckets.first)
        #expect(review.buckets.count == 1 && bucket.dimension == "os" && bucket.bucket == "android")
        #expect(bucket.events == 100 && bucket.numbers == 1 && bucket.neighbours == ["ios"])
        #expect(bucket.small == 3 && bucket.costly == 3 && bucket.known == 4)
        let cure = try #require(review.cures.first)
        #expect(cure.kind == .merge && cure.events == 100)
        #expect(
            cure.sentence == """
                Put android and ios of os into other: leave them out of its list. android was small on 3 of the last 4 \
                days, and cost ios each time.
                """)
    }

    @Test(
        "a number is explained with what it protects, what could have been withheld instead, and the cure; a small one, too"
    )
    func cell() async throws {
        let shop = try await Self.released("views", [Self.small, Self.small])
        func explain(_ bucket: BucketLabel) async throws -> Explanation {
            try await shop.explainer.explain("views", CountedShop.period(1), ["os": bucket], of: shop.plan)
        }
        let beside = try await explain("ios")
        #expect(beside.others == ["os = android"])
        #expect(beside.weights.map(\.cell) == ["os = ios", "os = windows"])
        #expect(beside.weights.map(\.isPublished) == [false, true])
        #expect(beside.weights.map(\.wasPublished) == [false, true])
        #expect(beside.weights[1].weight > 64 * beside.weights[0].weight, "what was shown before is dearer")
        #expect(beside.cures.map(\.kind) == [.merge])
        #expect(
            beside.cures[0].sentence.hasSuffix("android was small on all of the last 2 days, and cost ios each time."))
        let small = try await explain("android")
        #expect(small.others == ["os = ios"] && small.weights.isEmpty)
        #expect(small.cures == beside.cures)
        #expect(try await explain("windows").cures.isEmpty, "what is published needs none")
    }

    /// Of all events of the day after a cure, the share that the systems show.
    private static func shown(_ systems: String, _ cells: Counted) async throws -> Double? {
        let shop = try await released("views", [cells], yaml(systems: systems))
        return try await review(shop, "views").groupings[1].shown
    }

    @Test("the cure cures; the bucket alone in other would be as small as before")
    func cured() async throws {
        let cured = try await Self.shown("[windows, linux]", ["other": (107, 30), "windows": (400, 90)])
        #expect(cured == 1)
        let alone = try await Self.shown(
            "[ios, windows, linux]", ["ios": (100, 25), "other": (7, 5), "windows": (400, 90)])
        #expect(try #require(alone) < 0.8)
        // Where other is large enough, the bucket goes there by itself.
        var cells = Self.small
        cells["other"] = (300, 80)
        let shop = try await Self.released("views", [cells])
        let sentence = try await Self.review(shop, "views").cures.first?.sentence ?? ""
        #expect(sentence.hasPrefix("Put android of os into other: leave it out of its list."), "\(sentence)")
        #expect(
            try await Self.shown(
                "[ios, windows, linux]", ["ios": (100, 25), "other": (307, 85), "windows": (400, 90)]) == 1)
    }

    /// Two systems over eight places with three devices each, and one place with many.
    private static let scattered: Counted = {
        var cells: Counted = ["ios a": (300, 100), "windows a": (300, 100)]
        for place in "bcdefgh" {
            cells["ios \(place)"] = (1000, 3)
            cells["windows \(place)"] = (1000, 3)
        }
        return cells
    }()

    @Test("a grouping of which hardly anything is shown is to be left out, or a coarser one shown")
    func poor() async throws {
        let shop = try await Self.released("both", [Self.scattered])
        let review = try await Self.review(shop, "both")
        let pairs = try #require(review.groupings.first { $0.dimensions == ["os", "place"] })
        #expect(try #require(pairs.shown) < 0.1)
        let cure = try #require(review.cures.first { $0.kind == .leaveOut })
        #expect(
            cure.sentence.hasPrefix(
                "Leave os \u{00d7} place out, or show a coarser dimension (`of: place`), or count weeks instead of days"
            ))
        #expect(review.buckets.allSatisfy { $0.dimension != "place" }, "no place is to blame for all of them")
        let coarser = try await Self.released(
            "both", [Self.scattered],
            Self.yaml(groups: "half: {title: Half, of: place, groups: {near: [a, b, c, d]}}", margins: ", [half]"))
        let sentence = try await Self.review(coarser, "both").cures.first { $0.kind == .leaveOut }?.sentence ?? ""
        #expect(sentence.hasPrefix("Leave os \u{00d7} place out, or show half instead of place"), "\(sentence)")
    }

    @Test("two small buckets that make one large enough together are one cure")
    func together() async throws {
        var cells = Self.small
        cells["linux"] = (9, 17)
        let shop = try await Self.released("views", [cells])
        let review = try await Self.review(shop, "views")
        #expect(Set(review.buckets.map(\.bucket)) == ["android", "linux"])
        #expect(review.cures.count == 1)
        let sentence = review.cures.first?.sentence ?? ""
        #expect(
            sentence.contains("android") && sentence.contains("linux") && !sentence.contains("ios and"), "\(sentence)")
        let cured = try await Self.shown(
            "[ios, windows]", ["ios": (100, 25), "other": (16, 22), "windows": (400, 90)])
        #expect(try #require(cured) > 0.9)
    }

    @Test("a week is reviewed over the counters of its days; once one of them has gone, its events are not known")
    func week() async throws {
        let shop = try await CountedShop(Self.yaml())
        for day in 0..<7 {
            let android = (events: Int64(day == 3 ? 7 : 50 + day), devices: Int64(day == 3 ? 5 : 30))
            try await shop.count(
                "weekly", day: day,
                [
                    "ios": .init(events: 400, devices: 90), "linux": .init(events: 2, devices: 2),
                    "android": .init(events: android.events, devices: android.devices),
                ])
            _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(day + 2))
        }
        let review = try await shop.explainer.review("weekly", CountedShop.week, of: shop.plan)
        #expect(review.isKnown && review.groupings[0].shown == 1)
        // Nothing is shown by system, and yet no grouping is to be left out: one bucket is to blame.
        #expect(review.groupings[1].shown == 0 && review.groupings[1].hidden == 2)
        #expect(review.buckets.map(\.bucket) == ["linux"])
        #expect(review.cures.map(\.kind) == [.merge])
        #expect(review.buckets.allSatisfy { $0.events > 0 && $0.known == 1 })
        let owner = Connection(shop.settings)
        defer { owner.close() }
        try await owner.execute("delete from throng.counter where period_start = to_timestamp(\(CountedShop.start(2)))")
        let later = try await shop.explainer.review("weekly", CountedShop.week, of: shop.plan)
        #expect(later.isKnown && later.groupings[0].shown == 1 && later.groupings[1].publishableShown == nil)
        #expect(later.buckets.map(\.bucket) == review.buckets.map(\.bucket))
        #expect(later.buckets.allSatisfy { $0.events == 0 })
    }

    @Test("small numbers of buckets that are large by themselves are no bucket's fault: a coarser dimension would help")
    func scattered() async throws {
        var cells: Counted = [:]
        for place in "abcdefgh" {
            cells["ios \(place)"] = (300, 100)
            cells["windows \(place)"] = (300, 100)
        }
        cells["windows b"] = (5, 3)
        let shop = try await Self.released("both", [cells], Self.yaml(margins: ", [place]"))
        let review = try await Self.review(shop, "both")
        #expect(review.groupings.allSatisfy { ($0.shown ?? 0) > 0.5 } && review.buckets.isEmpty)
        #expect(review.cures.map(\.kind) == [.coarsen])
        #expect(review.cures[0].sentence.hasPrefix("In os \u{00d7} place show a coarser dimension (`of: place`)"))
        #expect(review.cures[0].events == 900)
    }

    @Test("a total that other metrics of the same events would give a small number away with is theirs to mend")
    func tied() async throws {
        let more = "\n  all: {title: All, events: [view, extra], dimensions: [os], METRIC}"
        let shop = try await CountedShop(Self.yaml(more: more))
        try await shop.count("all", day: 0, ["ios": .init(events: 507, devices: 105)])
        try await shop.count("views", day: 0, ["ios": .init(events: 500, devices: 100)])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(2))
        let review = try await Self.review(shop, "views")
        #expect(review.groupings[0].shown == 0 && review.groupings[0].hidden == 1)
        #expect(review.cures.map(\.kind) == [.untie])
        #expect(review.cures[0].sentence.hasPrefix("All counts some of the same events"))
        let total = try await shop.explainer.explain("views", CountedShop.period(0), [:], of: shop.plan)
        #expect(total.cures.map(\.kind) == [.untie])
    }

    @Test("where not even the total is published, longer periods come first")
    func longer() async throws {
        let shop = try await Self.released("views", [["ios": (30, 8), "android": (7, 5)]])
        let cure = try #require(try await Self.review(shop, "views").cures.first)
        #expect(cure.kind == .longer)
        #expect(
            cure.sentence
                == "Count weeks instead of days (`period: week`): not even its total is published of a day.")
    }

    @Test("once reasons have gone, what groupings show is still known, and nothing is said of what cost it")
    func forgotten() async throws {
        let shop = try await Self.released("views", [Self.small])
        let owner = Connection(shop.settings)
        defer { owner.close() }
        // Counters may stay longer, for another metric's sake: without reasons they are no proof that nothing was withheld.
        try await owner.execute("delete from throng.withheld_cell")
        for statement in ["select 1", "delete from throng.counter"] {
            try await owner.execute(statement)
            let review = try await Self.review(shop, "views")
            #expect(!review.isKnown && review.buckets.isEmpty && review.cures.isEmpty)
            #expect(abs(try #require(review.groupings[1].shown) - 400.0 / 507) < 1e-9)
            #expect(review.groupings[1].publishableShown == nil && review.groupings[1].hidden == nil)
        }
        let error = await #expect(throws: ExplanationError.self) { try await Self.review(shop, "views", day: 1) }
        #expect(try #require(error).description.hasPrefix("There is no release of views for 2026-11-17 to look at"))
    }

    @Test(
        "a plan's past: what each grouping showed, and what cost most; of what the plan splits otherwise nothing is said"
    )
    func past() async throws {
        let shop = try await Self.released("views", [Self.small, Self.small])
        let now = CountedShop.start(9)
        let past = try #require(try await shop.explainer.past(of: shop.plan, until: now).first)
        #expect(past.metric == "views" && past.buckets.map(\.bucket) == ["android"])
        #expect(
            past.lines == [
                "metric 'views' by day: total showed 100.0 % of its events in the last 2 days, and 100.0 % of the "
                    + "publishable ones",
                "metric 'views' by day: os showed 78.8 % of its events in the last 2 days, and 80.0 % of the publishable ones",
                "metric 'views' by day: Put android and ios of os into other: leave them out of its list. android was small "
                    + "on all of the last 2 days, and cost ios each time.",
            ])
        let edited = try CountedShop.plan(Self.yaml(systems: "[ios, windows]"))
        let after = try #require(try await shop.explainer.past(of: edited, until: now).first)
        #expect(after.groupings.map(\.dimensions) == [[]] && after.buckets.isEmpty && after.cures.isEmpty)
        #expect(try await shop.explainer.past(of: shop.plan, until: CountedShop.start(-1)).isEmpty)
    }
}
