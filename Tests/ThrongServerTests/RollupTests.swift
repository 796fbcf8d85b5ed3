import Foundation
import TestCluster
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("a week over days is released once", .serialized)
struct RollupTests {
    private static func yaml(rollups: String = "rollups: [week],") -> String {
        """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, \(rollups) period: day}
          orders:
            {title: Orders, events: [order], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, \(rollups) period: day}
        """
    }

    private static let reports = """

        insights:
          all: {title: Views, metric: views, kind: count}
          by_system: {title: Views by system, metric: views, kind: count, by: [os]}
          orders: {title: Orders, metric: orders, kind: count}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          weekly:
            title: Weekly
            partner: bank
            insights: [all, by_system, orders]
            period: week
            schedule: 0 6 * * *
            formats: [json]
            deliver: [{folder: out}]
        """

    /// When a day or the week that ends with it is due.
    private static func due(_ day: Int) -> UnixSeconds { CountedShop.start(day + 1) + 3 * 3600 }

    private static func counted(_ yaml: String) async throws -> CountedShop {
        let shop = try await CountedShop(yaml)
        for day in 0..<7 {
            try await shop.count(
                "views", day: day,
                [
                    "ios": .init(events: 400 + Int64(day), devices: 90),
                    // On Thursday there are few.
                    "android": day == 3 ? .init(events: 7, devices: 5) : .init(events: 50 + Int64(day), devices: 30),
                    "other": .init(events: 100, devices: 40),
                ])
        }
        return shop
    }

    private static func releases(_ shop: CountedShop, _ kind: PeriodKind) async throws -> [Release] {
        try await shop.store.releases(
            app: "shop", metric: "views", periodKind: kind, from: CountedShop.monday, to: CountedShop.start(7))
    }

    @Test("it is released after its last day, once; what the days published stays as it was")
    func once() async throws {
        let shop = try await Self.counted(Self.yaml())
        let six = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6) - 1)
        #expect(six.map(\.period) == (0..<6).map(CountedShop.period))
        #expect(try await shop.store.openRollups(app: "shop").map(\.hasOpenParts) == [true])
        // What is next is Sunday; the week that waits with it is over then, too.
        #expect(
            try await CalendarStore(shop.store.connection).firstDue(of: shop.plan) == CountedShop.week.end + 3 * 3600)
        let before = try await Self.releases(shop, .day)
        let last = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6))
        #expect(last.map(\.period) == [CountedShop.period(6), CountedShop.week])
        #expect(try await shop.store.openRollups(app: "shop").isEmpty)
        // Days on which nobody came are released, too; this week is not again.
        let later = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(30))
        #expect(later.count > 23 && later.allSatisfy { $0.period.start >= CountedShop.start(7) })
        #expect(try await Self.releases(shop, .week).count == 1)
        #expect(try await Self.releases(shop, .day).prefix(6).map(\.digest) == before.map(\.digest))
    }

    @Test("a week's published number is the sum of its days")
    func sums() async throws {
        let shop = try await Self.counted(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6))
        let week = try #require(try await Self.releases(shop, .week).first)
        let days = try await Self.releases(shop, .day)
        let counted: Int64 = 2821 + 325 + 700
        #expect(week.cell([:])?.count == counted)
        let daily = days.compactMap { $0.cell([:])?.count }
        #expect(daily.reduce(0, +) == counted)
        // Thursday's Android is small, and withheld for its own sake alone.
        #expect(days.map { $0.cell(["os": "android"])?.count } == [50, 51, 52, nil, 54, 55, 56])
        let labels: [BucketLabel] = ["ios", "android", "other"]
        #expect(labels.map { week.cell(["os": $0])?.count } == [2821, 325, 700])
    }

    @Test("a rollup that waits alone gets overdue like a period")
    func overdue() async throws {
        let shop = try await Self.counted(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2))
        let connection = Connection(shop.settings)
        defer { connection.close() }
        try await connection.execute("delete from throng.open_period")
        #expect(
            try await CalendarStore(shop.store.connection).firstDue(of: shop.plan) == CountedShop.week.end + 3 * 3600)
    }

    @Test("a plan that no longer asks for weeks gives them up for good")
    func givenUp() async throws {
        let shop = try await Self.counted(Self.yaml())
        let without = try CountedShop.plan(Self.yaml(rollups: ""))
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2))
        #expect(try await shop.store.openRollups(app: "shop").map(\.period) == [CountedShop.week])
        let made = try await shop.releases.releaseDue(of: without, now: Self.due(6))
        #expect(made.map(\.period) == (3..<7).map(CountedShop.period))
        #expect(try await shop.store.openRollups(app: "shop").isEmpty)
        let later = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(8))
        #expect(later.map(\.period) == [CountedShop.period(7), CountedShop.period(8)])
        #expect(try await Self.releases(shop, .week).isEmpty)
    }

    private static let cells: [String: CountedShop.Counted] = [
        "ios": .init(events: 400, devices: 90), "other": .init(events: 100, devices: 40),
    ]

    @Test(
        "what comes for an hour that was never opened, after its day was released, is no number of its own in the week")
    func late() async throws {
        let yaml = Self.yaml(rollups: "rollups: [day, week],").replacing("period: day}", with: "period: hour}")
        let shop = try await CountedShop(yaml)
        for day in 2..<7 { try await shop.count("views", day: day, hour: 10, Self.cells) }
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2))
        #expect(try await Self.releases(shop, .day).map(\.header.period) == [CountedShop.period(2)])
        // It would have stood for what the week has more than its days.
        try await shop.count("views", day: 2, hour: 8, ["ios": .init(events: 7, devices: 1)])
        let eight = CountedShop.start(2) + 8 * 3600
        #expect(try await !shop.store.openPeriods(app: "shop").contains { $0.period.start == eight })
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6))
        #expect(try await Self.releases(shop, .day).count == 5)
        #expect(try await Self.releases(shop, .week).count == 1)
        #expect(try await !Self.releases(shop, .hour).contains { $0.header.period.start == eight })
        let counted = try await Connection(shop.settings).integer(
            "select sum(value)::bigint from throng.counter where measure = 0")
        #expect(counted == 5 * 500 + 7, "it counts in the hour that was open")
        #expect(try await Connection(shop.settings).integer("select count(*) from throng.distinct_count") == 0)
    }

    @Test(
        "the hours of a day and the days of a month are all that may lie in it, also where the clock changes",
        arguments: ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"])
    func parts(zone: String) throws {
        let calendar = try #require(PeriodCalendar(timeZone: zone))
        for (short, long) in [(PeriodKind.hour, PeriodKind.day), (.hour, .month), (.day, .month)] {
            let yaml = Self.yaml(rollups: "").replacing("period: day}", with: "period: \(short.rawValue)}")
                .replacing("grace: 3 hours", with: "grace: 3 hours, time_zone: \(zone)")
            let plan = try CountedShop.plan(yaml)
            let layout = try plan.layout(of: #require(plan.metric("views")), rules: .system)
            var longer = calendar.period(long, containing: CountedShop.monday)
            for _ in 0..<(long == .day ? 400 : 14) {
                let parts = layout.periods(in: longer)
                let held = Set(
                    stride(from: longer.start.value, to: longer.end.value, by: 900).map {
                        calendar.period(short, containing: UnixSeconds($0))
                    })
                #expect(held == Set(parts), "\(longer)")
                longer = calendar.period(long, containing: longer.end)
            }
        }
    }

    @Test("a flush that opens a part holds its week back, also between the look and the release")
    func openPart() async throws {
        let shop = try await Self.counted(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(5))
        let rollup = try #require(try await shop.store.openRollups(app: "shop").first)
        let made = try await shop.store.commit(ReleaseScope(rollup), deciding: { _ in throw CancellationError() })
        #expect(made == nil, "Sunday is open")
        #expect(try await shop.store.openRollups(app: "shop").count == 1)
    }

    @Test("a period that the calendar opened once more while it was released does not stay open")
    func openedOnceMore() async throws {
        let shop = try await Self.counted(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2))
        let connection = Connection(shop.settings)
        defer { connection.close() }
        try await connection.execute(
            """
            insert into throng.open_period (metric_id, period_start, period_end)
            select metric_id, period_start, period_end from throng.closed_period
            """)
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2)).isEmpty)
        #expect(try await shop.store.openPeriods(app: "shop").allSatisfy { $0.period.start >= CountedShop.start(3) })
        #expect(try await Self.releases(shop, .day).count == 3)
    }

    @Test("a week that a plan asks for once some of its days are published is left out; the next one is not")
    func underWay() async throws {
        let shop = try await CountedShop(Self.yaml(rollups: ""))
        for day in 0..<14 where day != 3 { try await shop.count("views", day: day, Self.cells) }
        let weekly = try CountedShop.plan(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(2))
        _ = try await shop.releases.releaseDue(of: weekly, now: Self.due(13))
        #expect(try await Self.releases(shop, .day).count == 7)
        let weeks = try await shop.store.releases(
            app: "shop", metric: "views", periodKind: .week, from: CountedShop.monday, to: CountedShop.start(14))
        #expect(weeks.map(\.header.period.start) == [CountedShop.start(7)])
        #expect(try await shop.store.openRollups(app: "shop").isEmpty)
    }

    @Test("a week of which a published day's counters are gone is given up and said")
    func countersGone() async throws {
        let shop = try await Self.counted(Self.yaml())
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(5))
        try await Connection(shop.settings).execute(
            "delete from throng.counter where period_start < to_timestamp(\(CountedShop.start(2)))")
        var failures: [ReleaseScheduler.Failure] = []
        for _ in 0..<2 {
            _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6)) { failures.append($0) }
        }
        #expect(failures.map(\.period) == [CountedShop.week], "once")
        #expect(failures.first?.error as? ReleaseError == .countersGone(metric: "views", period: CountedShop.period(0)))
        #expect(try await shop.store.openRollups(app: "shop").isEmpty)
        #expect(try await Self.releases(shop, .week).isEmpty)
    }

    @Test("a report that was daily and becomes weekly is made of the week, whose Monday was reported")
    func becomesWeekly() async throws {
        let daily = Self.reports.replacing("period: week", with: "period: day")
        let shop = try await Self.counted(Self.yaml() + daily)
        let weekly = try CountedShop.plan(Self.yaml() + Self.reports)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-rollup-\(UUID().uuidString)"
        let scheduler = ReportScheduler(store: shop.store, rules: .system, folder: folder)
        func deliver(_ plan: Plan, at now: UnixSeconds) async throws -> Int {
            try await scheduler.deliverDue(of: plan, now: now) { _, error in Issue.record(error) }
        }
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(0))
        #expect(try await deliver(shop.plan, at: CountedShop.start(1) + 6 * 3600) == 1)
        _ = try await shop.releases.releaseDue(of: weekly, now: Self.due(6))
        #expect(try await deliver(weekly, at: CountedShop.start(7) + 6 * 3600) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/out").count == 2)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("a report over a week reads the week's release, and waits until all that lies in the week is released")
    func report() async throws {
        let shop = try await Self.counted(Self.yaml() + Self.reports)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-rollup-\(UUID().uuidString)"
        let scheduler = ReportScheduler(store: shop.store, rules: .system, folder: folder)
        func deliver(at now: UnixSeconds) async throws -> Int {
            try await scheduler.deliverDue(of: shop.plan, now: now) { _, error in Issue.record(error) }
        }
        let six = CountedShop.start(7) + 6 * 3600
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(5))
        #expect(try await deliver(at: six) == 0, "the week is not released")
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(6))
        // A daemon that was away brings its Sunday.
        try await shop.count("orders", day: 6, ["ios": .init(events: 900, devices: 80)])
        #expect(try await deliver(at: six) == 0, "another metric's Sunday is not released")
        _ = try await shop.releases.releaseDue(of: shop.plan, now: six)
        #expect(try await deliver(at: six) == 1)
        #expect(try await deliver(at: six + 86_400) == 0)

        let data = try #require(FileManager.default.contents(atPath: folder + "/out/weekly-2026-W47.json"))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let insights = try #require(report["insights"] as? [[String: Any]])
        let rows: [[Int?]] = insights.map { insight in
            let rows = insight["rows"] as? [[String: Any]] ?? []
            return rows.map { $0["value"] as? Int }
        }
        let week = try #require(try await Self.releases(shop, .week).first)
        #expect(rows[0] == [week.cell([:]).map { Int($0.count) }])
        let labels: [BucketLabel] = ["ios", "android", "other"]
        let systems = labels.map { label in week.cell(["os": label]).map { Int($0.count) } }
        #expect(rows[1] == systems)
        #expect(rows[2] == [900])
        try FileManager.default.removeItem(atPath: folder)
    }
}
