import TestCluster
import Testing
import ThrongPlan
import ThrongPostgres
import ThrongRelease
import ThrongSchedule
import ThrongServer
import ThrongStore

/// Attack 29 on published numbers only. `all` counts whatever was clicked, by country: 205 times in AT, by 45 devices. 5 of
/// them are nobody's business, and 200 are what `safe` counts. Whoever has both has the 5.
@Suite("Promise 5: whoever edits a plan between counting and release learns no more than before", .serialized)
struct EditedPlanTests {
    /// A street of two metrics.
    private struct Street {
        var threshold = 20
        var safe = "safe"
        var events = "[click]"
        var purpose = "product"
        var consent = "not_required"
        var bound = 100

        func plan() throws -> Plan {
            try CountedShop.plan(
                """
                app:
                  {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours,
                  threshold: \(threshold)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                  other: {explanation: To see., consent: \(consent), rotation: 1 day, retention: 30 days}
                dimensions:
                  country: {title: Country, field: country, list: [AT, DE], partitions: devices}
                metrics:
                  all:
                    {title: All, events: [click], dimensions: [country], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day}
                  \(safe):
                    {title: Safe, events: \(events), dimensions: [country], question: What?, decision: That.,
                    owner: Team, expires: 2027-10-31, purpose: \(purpose), period: day,
                    contribution_bound: \(bound)}
                """)
        }
    }

    private typealias Cells = [String: CountedShop.Counted]
    private static let all: Cells = ["AT": .init(events: 205, devices: 45), "DE": .init(events: 400, devices: 90)]
    private static let safe: Cells = ["AT": .init(events: 200, devices: 40), "DE": .init(events: 400, devices: 90)]
    private static let morning: Cells = ["AT": .init(events: 5, devices: 5), "DE": .init(events: 100, devices: 40)]
    private static let afternoon: Cells = [
        "AT": .init(events: 200, devices: 40), "DE": .init(events: 300, devices: 50),
    ]

    /// What everybody has of a day: by metric and country, events; of several releases of one metric the last.
    private func published(_ shop: CountedShop) async throws -> [String: Int64] {
        let day = CountedShop.period(0)
        var found: [String: Int64] = [:]
        for metric in ["all", "safe", "sure"] {
            for release in try await shop.store.releases(
                app: "shop", metric: MetricName(metric), periodKind: .day, from: day.start, to: day.end)
            {
                for cell in release.cells where cell.margin == release.header.layout.leaf {
                    let label = release.header.layout.dimensions[0].labels[Int(cell.cell.value)].text
                    found["\(metric) \(label) \(cell.count)"] = cell.count
                }
            }
        }
        return found
    }

    /// Whether all of it stands for k devices: a house that looks at one number at a time publishes it.
    private static func isNaive(_ cells: Cells..., threshold: Int64 = 20) -> Bool {
        cells.allSatisfy { ($0["AT"]?.devices ?? 0) >= threshold }
    }

    /// When the plan is edited.
    private static let noon = CountedShop.start(0) + 12 * 3600
    private static let whileItWaits = CountedShop.start(1) + 3600

    /// What a day gives away that is counted under two plans.
    ///
    /// - Parameters:
    ///   - edit: when a daemon starts with the second one.
    ///   - isKept: false forgets what plans asked, as a house does that keeps nothing.
    private func released(
        _ former: Street, _ edited: Street, at edit: UnixSeconds, isKept: Bool = true,
        morning: [MetricName: Cells], afternoon: [MetricName: Cells] = [:]
    ) async throws -> [String: Int64] {
        let (first, second) = (try former.plan(), try edited.plan())
        let shop = try await CountedShop(first)
        try await shop.start(first, at: CountedShop.start(-1) - 7200)
        for (metric, cells) in morning.sorted(by: { $0.key < $1.key }) { try await shop.count(metric, day: 0, cells) }
        try await shop.start(second, at: edit)
        for (metric, cells) in afternoon { try await shop.count(metric, day: 0, cells, under: second) }
        if !isKept { try await shop.forgetTerms() }
        _ = try await shop.releases.releaseDue(of: second, now: CountedShop.start(1) + 3 * 3600)
        return try await published(shop)
    }

    @Test("k that is lowered while a day waits publishes no cell of eight", arguments: [true, false])
    func threshold(isKept: Bool) async throws {
        let away = try await released(
            Street(threshold: 20), Street(threshold: 8), at: Self.whileItWaits, isKept: isKept,
            morning: ["all": ["AT": .init(events: 8, devices: 8), "DE": .init(events: 400, devices: 90)]])
        #expect(away["all DE 400"] != nil || away["all AT 8"] == nil)
        #expect((away["all AT 8"] != nil) == !isKept)
    }

    @Test("k that was lowered the evening before publishes it", arguments: [20, 8])
    func eveningBefore(former: Int) async throws {
        let away = try await released(
            Street(threshold: former), Street(threshold: 8), at: CountedShop.start(0) - 3601,
            morning: ["all": ["AT": .init(events: 8, devices: 8), "DE": .init(events: 400, devices: 90)]])
        #expect(away["all AT 8"] == 8)
    }

    @Test("events that are edited while a day waits tie it as when it was counted", arguments: [true, false])
    func events(isKept: Bool) async throws {
        let away = try await released(
            Street(), Street(events: "[other]"), at: Self.whileItWaits, isKept: isKept,
            morning: ["all": Self.all, "safe": Self.safe])
        #expect(away["all AT 205"] == 205)
        #expect((away["safe AT 200"] != nil) == !isKept)
    }

    @Test("nor are they untied by an edit in the day's last minute", arguments: [true, false])
    func lastMinute(isKept: Bool) async throws {
        let away = try await released(
            Street(), Street(events: "[other]"), at: CountedShop.start(1) - 60, isKept: isKept,
            morning: ["all": Self.all, "safe": Self.safe],
            afternoon: ["safe": ["AT": .init(events: 1, devices: 1)]])
        #expect(away["all AT 205"] == 205)
        #expect((away["safe AT 201"] != nil) == !isKept)
    }

    @Test("consent that a plan asks for later does not untie what was counted without")
    func consent() async throws {
        let former = Street(purpose: "other")
        var edited = former
        edited.consent = "required"
        let away = try await released(
            former, edited, at: Self.whileItWaits, morning: ["all": Self.all, "safe": Self.safe])
        #expect(away["all AT 205"] == 205)
        #expect(away["safe AT 200"] == nil)
        #expect(Self.isNaive(Self.all, Self.safe), "the control must be seen to fail")
    }

    @Test(
        "a metric that is renamed at noon does not give away what its former name counted",
        arguments: ["[click]", "[click, other]"])
    func renamed(events: String) async throws {
        let away = try await released(
            Street(), Street(safe: "sure", events: events), at: Self.noon,
            morning: ["all": Self.all, "safe": Self.morning], afternoon: ["sure": Self.afternoon])
        #expect(away["all AT 205"] == 205)
        #expect(away["safe AT 5"] == nil)
        #expect(away["sure AT 200"] == nil)
        #expect(Self.isNaive(Self.all, Self.afternoon), "the control must be seen to fail")
    }

    @Test("nor where those are many events of few devices")
    func renamedHeavy() async throws {
        let all: Cells = ["AT": .init(events: 260, devices: 45), "DE": .init(events: 400, devices: 90)]
        let away = try await released(
            Street(), Street(safe: "sure"), at: Self.noon,
            morning: [
                "all": all,
                "safe": ["AT": .init(events: 60, devices: 5), "DE": .init(events: 100, devices: 40)],
            ], afternoon: ["sure": Self.afternoon])
        #expect(away["all AT 260"] == 260)
        #expect(away["safe AT 60"] == nil)
        #expect(away["sure AT 200"] == nil)
        #expect(Self.isNaive(all, Self.afternoon), "the control must be seen to fail")
    }

    @Test("a bound that changes at noon starts counters that are tied to those before", arguments: [true, false])
    func bound(isKept: Bool) async throws {
        let away = try await released(
            Street(), Street(bound: 50), at: Self.noon, isKept: isKept,
            morning: ["all": Self.all, "safe": Self.morning], afternoon: ["safe": Self.afternoon])
        #expect(away["all AT 205"] == 205)
        #expect(away["safe AT 200"] == nil)
    }

    @Test("a name that comes later and asks for less has the k of what its former name counted")
    func renamedBelow() async throws {
        let afternoon: Cells = ["AT": .init(events: 8, devices: 8), "DE": .init(events: 300, devices: 50)]
        let away = try await released(
            Street(threshold: 20), Street(threshold: 8, safe: "sure"), at: Self.noon,
            morning: ["safe": Self.safe], afternoon: ["sure": afternoon])
        #expect(away["sure AT 8"] == nil)
        #expect(Self.isNaive(afternoon, threshold: 8), "the control must be seen to fail")
    }
}
