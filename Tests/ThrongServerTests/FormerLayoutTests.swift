import TestCluster
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("What was counted under one plan and is released under another keeps what it was promised", .serialized)
struct FormerLayoutTests {
    private static func yaml(
        systems: String = "ios, android", views: String = "", threshold: Int = 20
    ) -> String {
        """
        app:
          {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours,
          threshold: \(threshold)}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [\(systems)], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, \(views) period: day}
          orders:
            {title: Orders, events: [order], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day}
        """
    }

    /// The header of what a day that was counted under one plan is released as under another.
    private func header(counted: String, released: String) async throws -> ReleaseHeader {
        let shop = try await CountedShop(counted)
        try await shop.count("views", day: 0, ["ios": .init(events: 400, devices: 90)])
        let plan = try CountedShop.plan(released)
        _ = try await shop.releases.releaseDue(of: plan, now: CountedShop.start(1) + 3 * 3600)
        let day = CountedShop.period(0)
        let found = try await shop.store.releases(
            app: "shop", metric: "views", periodKind: .day, from: day.start, to: day.end)
        #expect(found.count == 1)
        return try #require(found.first).header
    }

    private static let strict = "threshold: 35,"

    @Test("a layout that lost its place to one with another bucket keeps its k")
    func changed() async throws {
        let header = try await header(
            counted: Self.yaml(views: Self.strict), released: Self.yaml(systems: "ios, android, web"))
        #expect(header.threshold.devices == 35)
    }

    @Test("so does one whose metric the plan has no longer")
    func removed() async throws {
        let without = Self.yaml().replacing("  views:", with: "  others:").replacing("[view]", with: "[other]")
        let header = try await header(counted: Self.yaml(views: Self.strict), released: without)
        #expect(header.threshold.devices == 35)
    }

    @Test("k that is lowered while a day waits holds for what is counted from then on")
    func lowered() async throws {
        let header = try await header(counted: Self.yaml(), released: Self.yaml(threshold: 8))
        #expect(header.threshold.devices == 20)
    }

    @Test("where the plan asks for more now, that counts for a former layout, too")
    func stricter() async throws {
        let header = try await header(
            counted: Self.yaml(), released: Self.yaml(systems: "ios, android, web", views: Self.strict))
        #expect(header.threshold.devices == 35)
    }

    @Test("windows of a former plan are over before their period is released, however soon the plan releases now")
    func windows() async throws {
        let often = "    {title: Views, events: [view], measures: {frequency: {bands: [1, 2]}},"
        let former = Self.yaml().replacing("    {title: Views, events: [view],", with: often).replacing(
            "grace: 3 hours", with: "grace: 3 days")
        let shop = try await CountedShop(former)
        try await shop.count("views", day: 0, ["ios 1": .init(events: 90, devices: 90)])
        let plan = try CountedShop.plan(
            former.replacing("rotation: 1 day", with: "rotation: 15 minutes").replacing(
                "grace: 3 days", with: "grace: 3 hours"))
        let soon = CountedShop.start(1) + 3 * 3600
        let due = CountedShop.start(2) + 15 * 60
        #expect(try await CalendarStore(shop.store.connection).firstDue(of: plan) == due)
        #expect(try await shop.store.pending(of: plan).map(\.due) == [due])
        for now in [soon, due - 1] {
            let made = try await shop.releases.releaseDue(of: plan, now: now)
            #expect(!made.contains { $0.period == CountedShop.period(0) && $0.published > 0 })
        }
        #expect(try await shop.store.pending(of: plan).contains { $0.period == CountedShop.period(0) })
        let made = try await shop.releases.releaseDue(of: plan, now: due)
        #expect(made.contains { $0.period == CountedShop.period(0) && $0.published > 0 })
    }

    @Test("a day says the sampling rate at which it was counted, whatever the plan's rate is when it is released")
    func sampling() async throws {
        let sampled = Self.yaml(views: "sampling: 0.1,")
        #expect(try await header(counted: Self.yaml(), released: sampled).sampling == 1)
        #expect(try await header(counted: sampled, released: Self.yaml()).sampling == 0.1)
    }
}
