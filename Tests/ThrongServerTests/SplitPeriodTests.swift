import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport
import ThrongSchedule
import ThrongServer
import ThrongStore

/// A plan that renames a dimension at noon: 3,000 devices came in the morning and 300 in the afternoon, and what was counted of the
/// morning is another layout's.
@Suite("Promise 4: a report of a period that a change of the plan splits says so, or is held", .serialized)
struct SplitPeriodTests {
    private static func plan(_ dimension: String, split: String = "say") throws -> Plan {
        try CountedShop.plan(
            """
            app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 10000, grace: 3 hours}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
            dimensions:
              \(dimension): {title: Country, field: country, list: [AT, DE], partitions: devices}
            metrics:
              views:
                {title: Views, events: [view], dimensions: [\(dimension)], question: What?, decision: That., owner: Team,
                expires: 2027-10-31, purpose: product, period: day, decay: [{after: 10 days, delete: all}]}
            insights:
              by_country: {title: Views by country, metric: views, kind: count, by: [\(dimension)]}
            partners:
              press: {title: Press, contact: p@example.com}
            reports:
              daily: {title: Daily, partner: press, insights: [by_country], period: day, formats: [csv, json], split: \(split),
                schedule: 0 6 * * *, deliver: [{folder: out}]}
            """)
    }

    private static let noon = CountedShop.start(0) + 43_200
    private static let morning: [String: CountedShop.Counted] = [
        "AT": .init(events: 2000, devices: 2000), "DE": .init(events: 1000, devices: 1000),
    ]
    private static let afternoon: [String: CountedShop.Counted] = [
        "AT": .init(events: 200, devices: 200), "DE": .init(events: 100, devices: 100),
    ]

    /// A shop whose plan changes at noon of day 0, with all of that day released.
    private static func shop(
        split: String = "say"
    ) async throws -> (shop: CountedShop, reports: ReportScheduler, folder: String) {
        let (before, after) = (try plan("country"), try plan("land", split: split))
        let shop = try await CountedShop(after)
        try await shop.start(before, at: CountedShop.start(-3))
        try await shop.count("views", day: 0, morning, under: before)
        try await shop.start(after, at: noon)
        try await shop.count("views", day: 0, afternoon)
        try await shop.count("views", day: 1, afternoon)
        _ = try await shop.releases.releaseDue(of: after, now: CountedShop.start(2) + 10_800)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-split-\(UUID().uuidString)"
        return (shop, ReportScheduler(store: shop.store, rules: .system, folder: folder), folder)
    }

    @Test("it stands on the part of the plan in force and says since when, in every format")
    func says() async throws {
        let (shop, reports, _) = try await Self.shop()
        let report = try #require(shop.plan.reports.first)
        let now = CountedShop.start(2)
        let document = try await reports.document(
            of: report, plan: shop.plan, period: CountedShop.period(0), now: now)
        let whole = try #require(document.answers.first?.answered?.table.whole?.quantity)
        #expect(whole == .drawn(300, of: .events, within: 0))
        let part = try #require(document.partial.first)
        #expect(document.partial.count == 1 && part.metric == "views")
        #expect(part.part.isSplit && part.part.from == Self.noon && part.part.until == nil)
        let note =
            "“Views” was counted in two ways in this period. Its numbers are from 16 November 2026, 12:00 on: 12 of 24 hours."
        #expect(document.partNotes == [note])
        #expect(try document.html().contains(note))
        #expect(document.json.contains("\"counted_in_two_ways\": true"))
        let lines = document.csv.split(separator: "\r\n")
        #expect(lines.first?.hasSuffix(",counted_from,counted_until,delete_by") == true)
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(",2026-11-16T12:00:00Z,,2026-11-27T00:00:00Z") })
        #expect(document.json.contains("\"delete_by\": \"2026-11-27T00:00:00Z\""))
        #expect(try document.html().contains("Delete your copies by 27 November 2026, 00:00"))
        // The day after is whole.
        let next = try await reports.document(of: report, plan: shop.plan, period: CountedShop.period(1), now: now)
        #expect(next.partial.isEmpty && !next.csv.contains("counted_from") && !next.json.contains("partial"))
    }

    @Test("where the plan holds it, nothing is made, the reason is on record, and whole periods go on")
    func holds() async throws {
        let (shop, reports, folder) = try await Self.shop(split: "hold")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try #require(shop.plan.reports.first)
        let held = ReportSchedulerError.held(report: "daily", period: "2026-11-16", metric: "views")
        await #expect(throws: held) {
            try await reports.document(
                of: report, plan: shop.plan, period: CountedShop.period(0), now: CountedShop.start(2))
        }
        var failures: [ReportSchedulerError] = []
        let made = try await reports.deliverDue(of: shop.plan, now: CountedShop.start(2) + 6 * 3600) { _, error in
            failures += [error as? ReportSchedulerError].compactMap(\.self)
        }
        #expect(made == 1 && failures == [held])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/out")
        #expect(files.sorted() == ["daily-2026-11-17.csv", "daily-2026-11-17.json"])
        #expect(held.description.contains("split: say"))
    }

    @Test("a first day is a part, what was handed in for days before is whole, and what age took is not called late")
    func others() async throws {
        let day = CountedShop.period(0)
        #expect(PartOfPeriod(of: day, from: Self.noon, until: nil, isSplit: false)?.from == Self.noon)
        #expect(PartOfPeriod(of: day, from: nil, until: Self.noon, isSplit: false)?.until == Self.noon)
        #expect(PartOfPeriod(of: day, from: day.end, until: nil, isSplit: false) == nil)
        #expect(PartOfPeriod(of: day, from: day.start, until: day.end, isSplit: false) == nil)
        let (shop, reports, _) = try await Self.shop()
        let report = try #require(shop.plan.reports.first)
        _ = try await RetentionStore(shop.store.connection).expire(plans: [shop.plan], now: CountedShop.start(12))
        await #expect(throws: ReportSchedulerError.aged(report: "daily", period: "2026-11-16")) {
            try await reports.document(of: report, plan: shop.plan, period: day, now: CountedShop.start(12))
        }
    }
}
