import Foundation
import Logging
import TestCluster
import Testing
import ThrongJournal
import ThrongPlan
import ThrongRelease

@testable import ThrongSchedule
@testable import ThrongServer
@testable import ThrongStore

@Suite("A release that can't be made holds up no other, and no report of another period", .serialized)
struct FailingReleaseTests {
    private static func metric(_ name: String) -> String {
        """
          \(name):
            {title: A metric, events: [\(name)], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, rollups: [week], period: day}
        """
    }

    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
        \(metric("broken"))
        \(metric("views"))
        insights:
          all: {title: Views, metric: views, kind: count}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily:
            title: Daily
            partner: bank
            insights: [all]
            period: day
            schedule: 0 6 * * *
            formats: [json]
            deliver: [{folder: out}]
        """

    /// Of one metric PostgreSQL takes nothing from Tuesday on.
    private static func shop() async throws -> CountedShop {
        let shop = try await CountedShop(yaml)
        try await shop.count("views", day: 0, ["ios": .init(events: 400, devices: 90)])
        try await shop.count("broken", day: 1, ["ios": .init(events: 400, devices: 90)])
        try await shop.count("views", day: 1, ["ios": .init(events: 400, devices: 90)])
        try await Connection(shop.settings).execute(
            "alter table throng.release add constraint broken check (metric <> 'broken')")
        return shop
    }

    private static let due = CountedShop.start(2) + 6 * 3600

    @Test("the others are made, and what failed is named and stays due")
    func others() async throws {
        let shop = try await Self.shop()
        var failures: [ReleaseScheduler.Failure] = []
        let made = try await shop.releases.releaseDue(of: shop.plan, now: Self.due) { failures.append($0) }
        #expect(made.filter { $0.metric == "views" }.map(\.period) == [0, 1].map(CountedShop.period))
        #expect(failures.map(\.metric) == ["broken"] && failures.map(\.period) == [CountedShop.period(1)])
        #expect((failures.first?.error as? PostgresError)?.sqlState == SQLState("23514"))
        let due = CountedShop.period(1).end + 3 * 3600
        #expect(try await CalendarStore(shop.store.connection).firstDue(of: shop.plan) == due)
    }

    @Test("a command that asks for no account of failures fails with the first")
    func command() async throws {
        let shop = try await Self.shop()
        await #expect(throws: PostgresError.self) { try await shop.releases.releaseDue(of: shop.plan, now: Self.due) }
    }

    @Test("where PostgreSQL is out of reach, that is said once and not of each release")
    func unreachable() async throws {
        let shop = try await Self.shop()
        shop.store.close()
        await #expect(throws: PostgresError.self) {
            try await shop.releases.releaseDue(of: shop.plan, now: Self.due) { Issue.record($0.error) }
        }
    }

    @Test("the schedule counts the failure and makes the reports that have all they need")
    func reports() async throws {
        let shop = try await Self.shop()
        let folder = FileManager.default.temporaryDirectory.path + "/throng-failing-\(UUID().uuidString)"
        let health = ScheduleHealth()
        let schedule = ScheduleService(
            plans: [shop.plan], releases: shop.releases,
            reports: ReportScheduler(store: shop.store, rules: .system, folder: folder),
            calendar: CalendarStore(shop.store.connection),
            retention: RetentionWithKeys(
                store: RetentionStore(shop.store.connection), folder: "/nowhere",
                deletions: DeletionStore(shop.store.connection), keys: BackupKeys(dataPath: "/nowhere"), pages: nil),
            standing: FlushStanding(),
            guarded: ClockGuard(
                clock: MachineClock(UnixClock { Self.due }), store: DatabaseClock(shop.store.connection),
                health: health,
                logger: .silent),
            settlement: Settlement(SettlementStore(shop.store.connection)), health: health,
            clock: UnixClock { Self.due },
            interval: .seconds(60), logger: .silent)
        await schedule.tick(shop.plan, settled: Self.due, now: Self.due)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/out")
        #expect(files == ["daily-2026-11-16.json"])
        let counts = health.snapshot
        #expect(counts.failures == 1 && counts.releases == 2 && counts.reports == 1)
        try FileManager.default.removeItem(atPath: folder)
    }
}
