import Foundation
import TestCluster
import Testing
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongServer

@testable import ThrongStore

/// A shop whose plan names a second partner in the evening of day 1. People were told until then that the first one alone
/// receives numbers.
@Suite("Promise 7: who receives numbers was said when they were counted, and a later plan adds nobody", .serialized)
struct PromisedRecipientsTests {
    private static func plan(pressHas insights: String?) throws -> Plan {
        let press = insights.map { insights in
            """
              evening: {title: Evening, partner: press, insights: [\(insights)], period: day, formats: [json],
                schedule: 0 6 * * *, deliver: [{folder: press}]}
            """
        }
        return try CountedShop.plan(
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
              orders:
                {title: Orders, events: [order], dimensions: [country], question: What?, decision: That., owner: Team,
                expires: 2027-10-31, purpose: product, period: day}
            insights:
              seen: {title: Seen, metric: views, kind: count, change: [period_before]}
              sold: {title: Sold, metric: orders, kind: count}
            partners:
              board: {title: Board, contact: b@example.com}
              press: {title: Press, contact: p@example.com}
            reports:
              daily: {title: Daily, partner: board, insights: [seen, sold], period: day, formats: [json],
                schedule: 0 6 * * *, deliver: [{folder: board}]}
            \(press ?? "")
            """)
    }

    private static let cells: [String: CountedShop.Counted] = [
        "AT": .init(events: 200, devices: 200), "DE": .init(events: 100, devices: 100),
    ]
    private static let evening = CountedShop.start(1) + 20 * 3600

    /// Four days, of which the second ends under the plan that names the press.
    private static func shop(
        pressHas insights: String
    ) async throws -> (shop: CountedShop, reports: ReportScheduler, folder: String) {
        let (before, after) = (try plan(pressHas: nil), try plan(pressHas: insights))
        let shop = try await CountedShop(after)
        try await shop.start(before, at: CountedShop.start(-3))
        for day in 0...1 {
            for metric in ["views", "orders"] {
                try await shop.count(MetricName(metric), day: day, cells, under: before)
            }
        }
        try await shop.start(after, at: evening)
        for day in 2...3 {
            for metric in ["views", "orders"] { try await shop.count(MetricName(metric), day: day, cells) }
        }
        _ = try await shop.releases.releaseDue(of: after, now: CountedShop.start(4) + 10_800)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-named-\(UUID().uuidString)"
        return (shop, ReportScheduler(store: shop.store, rules: .system, folder: folder), folder)
    }

    private static func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("who is named later gets the first period that was wholly counted since, and nothing of before in it")
    func later() async throws {
        let (shop, reports, folder) = try await Self.shop(pressHas: "seen, sold")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var failures: [String] = []
        _ = try await reports.deliverDue(of: shop.plan, now: CountedShop.start(4) + 6 * 3600) { _, error in
            failures.append("\(error)")
        }
        #expect(failures == [])
        let days = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"]
        #expect(try Self.files(folder + "/board") == days.map { "daily-\($0).json" })
        #expect(try Self.files(folder + "/press") == days.suffix(2).map { "evening-\($0).json" })
        let first = try String(contentsOfFile: folder + "/press/evening-2026-11-18.json", encoding: .utf8)
        #expect(first.contains("\"unnamed\"") && first.contains("300"))
        let second = try String(contentsOfFile: folder + "/press/evening-2026-11-19.json", encoding: .utf8)
        #expect(!second.contains("unnamed"))
        let board = try String(contentsOfFile: folder + "/board/daily-2026-11-18.json", encoding: .utf8)
        #expect(!board.contains("unnamed"))
        let report = try #require(shop.plan.reports.first { $0.name == "evening" })
        for day in 0...1 {
            let refused = ReportSchedulerError.unnamed(report: "evening", period: days[day], partner: "press")
            await #expect(throws: refused) {
                try await reports.document(
                    of: report, plan: shop.plan, period: CountedShop.period(day), now: CountedShop.start(4))
            }
        }
        // The control: a house that kept nothing of that makes them all.
        try await Self.execute("update throng.layout_promise set recipients = null", shop)
        let document = try await reports.document(
            of: report, plan: shop.plan, period: CountedShop.period(0), now: CountedShop.start(4))
        #expect(document.answers.count { $0.answered != nil } == 2 && document.json.contains("300"))
    }

    @Test("a report that gets another metric says of it why it is not there yet, and shows the others")
    func another() async throws {
        let (shop, reports, _) = try await Self.shop(pressHas: "sold")
        let more = try Self.plan(pressHas: "sold, seen")
        try await shop.start(more, at: CountedShop.start(3) + 7200)
        let report = try #require(more.reports.first { $0.name == "evening" })
        let document = try await reports.document(
            of: report, plan: more, period: CountedShop.period(3), now: CountedShop.start(4))
        #expect(document.answers.map(\.outcome).contains(.absent(.unnamed)))
        #expect(document.answers.count { $0.answered != nil } == 1 && document.json.contains("300"))
        #expect(try document.html().contains("it was counted before the plan named who this report is for"))
    }

    @Test("a promise holds an hour longer, in any part of a period, and for what comes before the first")
    func promises() {
        let (early, late) = (CountedShop.start(0), CountedShop.start(5))
        func named(_ partner: PartnerName, _ day: Int, until: UnixSeconds) -> Bool {
            PromisedRecipients([
                .init(since: early, until: until, partners: ["board"]),
                .init(since: until, until: late, partners: ["board", "press"]),
                .init(since: late, until: nil, partners: ["press"]),
            ]).name(partner, in: CountedShop.period(day))
        }
        let midnight = CountedShop.start(2)
        #expect(!named("press", -1, until: midnight) && named("board", -1, until: midnight))
        #expect(!named("press", 1, until: midnight) && named("board", 1, until: midnight))
        #expect(!named("press", 2, until: midnight) && named("press", 3, until: midnight))
        #expect(named("press", 2, until: midnight - 3600) && !named("press", 2, until: midnight - 3599))
        #expect(named("board", 4, until: midnight) && !named("board", 5, until: midnight))
        #expect(named("press", 5, until: midnight))
        let unkept = PromisedRecipients([.init(since: nil, until: nil, partners: nil)])
        #expect(unkept.name("press", in: CountedShop.period(0)))
        #expect(PromisedRecipients([]).name("press", in: CountedShop.period(0)))
    }

    private static func execute(_ sql: String, _ shop: CountedShop) async throws {
        let admin = Connection(shop.settings)
        defer { admin.close() }
        try await admin.execute(sql)
    }

    @Test("copies in folders go with their files, once, and nothing else in the folder does")
    func copies() async throws {
        let (shop, reports, folder) = try await Self.shop(pressHas: "seen")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await reports.deliverDue(of: shop.plan, now: CountedShop.start(4) + 6 * 3600) { _, _ in }
        let foreign = folder + "/board/daily-2026-11-16-notes.txt"
        try "mine".write(toFile: foreign, atomically: true, encoding: .utf8)
        let store = RetentionStore(shop.store.connection)
        let copies = CopyRetention(store: store, folder: folder)
        // The first number of a day goes 30 days after its end, and the report of the day after compares with it.
        let due = CountedShop.start(1 + 30)
        let early = try await copies.remove([shop.plan], now: due - 1)
        #expect(early == CopyRetention.Outcome())
        #expect(try Self.files(folder + "/board").count == 5)
        let took = try await copies.remove([shop.plan], now: due)
        #expect(took.files == 2 && took.left.isEmpty)
        #expect(try Self.files(folder + "/board").first == "daily-2026-11-16-notes.txt")
        #expect(try await copies.remove([shop.plan], now: due) == CopyRetention.Outcome())
        // The control: what the database lets go of alone leaves the copies.
        _ = try await store.expire(plans: [shop.plan], now: CountedShop.start(40))
        #expect(try Self.files(folder + "/board").count == 3)
        let all = try await copies.remove([shop.plan], now: CountedShop.start(40))
        #expect(all.files == 4 && all.left.isEmpty)
        #expect(try Self.files(folder + "/board") == ["daily-2026-11-16-notes.txt"])
        #expect(try Self.files(folder + "/press") == [])
        let entries = try await DeletionStore(shop.store.connection).entries().filter { $0.kind == "copies" }
        #expect(entries.map(\.rows) == [Int64](repeating: 1, count: 6) && entries.allSatisfy { $0.app == "shop" })
        #expect(entries.first?.period == CountedShop.start(0)..<CountedShop.start(1))
    }

    @Test("copies that two apps write under one name go on the earlier day")
    func shared() async throws {
        let (shop, reports, folder) = try await Self.shop(pressHas: "seen")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await reports.deliverDue(of: shop.plan, now: CountedShop.start(4) + 6 * 3600) { _, _ in }
        for table in ["report_run", "delivery"] {
            try await Self.execute(
                """
                insert into throng.\(table)
                select twin.* from throng.\(table) as known,
                    jsonb_populate_record(known, '{"app": "other"}') as twin
                """, shop)
        }
        try await Self.execute(
            "update throng.report_run set files_until = files_until + interval '60 days' where app = 'other'", shop)
        let copies = CopyRetention(store: RetentionStore(shop.store.connection), folder: folder)
        let took = try await copies.remove([shop.plan], now: CountedShop.start(31))
        #expect(took.files == 2 && took.left.isEmpty)
        // The other app's day comes, too, and finds nothing.
        let later = try await copies.remove([shop.plan], now: CountedShop.start(120))
        #expect(later.files == 4 && later.left.isEmpty)
        #expect(try await copies.remove([shop.plan], now: CountedShop.start(120)) == CopyRetention.Outcome())
    }

    @Test("a folder that is away is asked for again, and an app without a plan keeps no copies longer")
    func away() async throws {
        let (shop, reports, folder) = try await Self.shop(pressHas: "seen")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await reports.deliverDue(of: shop.plan, now: CountedShop.start(4) + 6 * 3600) { _, _ in }
        try FileManager.default.moveItem(atPath: folder + "/board", toPath: folder + "/mounted")
        let store = RetentionStore(shop.store.connection)
        let copies = CopyRetention(store: store, folder: folder)
        let took = try await copies.remove([], now: CountedShop.start(40))
        #expect(took.files == 2 && took.left.keys.sorted() == [folder + "/board"])
        let late = try await store.outlook([]).due.filter {
            $0.isOverdue(at: CountedShop.start(40)) && $0.metric == "daily"
        }
        #expect(late.map(\.term) == ["with the first number in them: copies in folder board"])
        try FileManager.default.moveItem(atPath: folder + "/mounted", toPath: folder + "/board")
        let again = try await copies.remove([], now: CountedShop.start(41))
        #expect(again.files == 4 && again.left.isEmpty)
        #expect(try await store.outlook([]).due.allSatisfy { $0.metric != "daily" })
    }
}
