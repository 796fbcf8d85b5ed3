import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("An alert is looked at once a period, and goes out where its number asks for it", .serialized)
struct AlertRunTests {
    /// A shop with 3,000 views on day 0 and 300 on day 1, both released, whose daily report is an alert.
    private static func shop(
        _ alert: String
    ) async throws -> (shop: CountedShop, reports: ReportScheduler, folder: String) {
        let plan = try CountedShop.plan(
            """
            app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 10000, grace: 3 hours}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
            dimensions:
              country: {title: Country, field: country, list: [AT, DE], partitions: devices}
            metrics:
              views:
                {title: Views, events: [view], dimensions: [country], question: What?, decision: That., owner: Team,
                expires: 2027-10-31, purpose: product, period: day}
            insights:
              all: {title: All views, metric: views, kind: count}
            partners:
              press: {title: Press, contact: p@example.com}
            reports:
              few: {title: Few views, partner: press, insights: [all], period: day, formats: [json], schedule: 0 6 * * *,
                deliver: [{folder: out}], alert: {insight: all, \(alert)}}
            """)
        let shop = try await CountedShop(plan)
        try await shop.start(plan, at: CountedShop.start(-3))
        for (day, devices) in [(0, Int64(1500)), (1, 150)] {
            let counted = CountedShop.Counted(events: devices, devices: devices)
            try await shop.count("views", day: day, ["AT": counted, "DE": counted])
        }
        _ = try await shop.releases.releaseDue(of: plan, now: CountedShop.start(2) + 10_800)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-alert-\(UUID().uuidString)"
        return (shop, ReportScheduler(store: shop.store, rules: .system, folder: folder), folder)
    }

    private static let now = CountedShop.start(2) + 6 * 3600

    @Test("the latest period's number makes it once, and it says why")
    func made() async throws {
        let (shop, reports, folder) = try await Self.shop("below: 500")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for expected in [1, 0] {
            let made = try await reports.deliverDue(of: shop.plan, now: Self.now) { Issue.record("\($0.name): \($1)") }
            #expect(made == expected)
        }
        let file = folder + "/out/few-2026-11-17.json"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/out") == ["few-2026-11-17.json"])
        let json = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        #expect(json.contains("\"alert\": \"This is an alert: “All views” is below 500.\""))
    }

    @Test("a number that is as it should be makes nothing, is on record, and is not looked at again")
    func quiet() async throws {
        let (shop, reports, folder) = try await Self.shop("above: 500")
        let runs = RunStore(shop.store.connection)
        for _ in 0..<2 {
            let made = try await reports.deliverDue(of: shop.plan, now: Self.now) { Issue.record("\($0.name): \($1)") }
            #expect(made == 0)
        }
        let run = try #require(try await runs.runs(app: "shop").first)
        #expect(run.outcome == .delivered && run.attempt == 1 && run.detail?.hasPrefix("no alert: ") == true)
        #expect(try await runs.unsignedRuns(ending: ".manifest.sig", 10).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder + "/out"))
    }

    @Test("by hand it says that nothing goes out, and writes it where that is asked for")
    func byHand() async throws {
        let (shop, reports, folder) = try await Self.shop("below: 500")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (report, day) = (try #require(shop.plan.reports.first), CountedShop.period(0))
        await #expect(throws: ReportSchedulerError.quiet(report: "few", period: "2026-11-16")) {
            try await reports.deliver(report, plan: shop.plan, period: day, now: Self.now)
        }
        let paths = try await reports.write(report, plan: shop.plan, period: day, now: Self.now, to: folder)
        #expect(paths == [folder + "/few-2026-11-16.json"])
    }
}
