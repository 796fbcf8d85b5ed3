import Foundation
import TestCluster
import Testing
import ThrongCounting
import ThrongDelivery
import ThrongNoise
import ThrongPlan
import ThrongPostgres
import ThrongRelease
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("The daemon releases noisy metrics by the calendar, counted or not")
struct NoisyScheduleTests {
    /// 2026-11-19 00:00 UTC.
    private static let today = UnixSeconds(1_795_046_400)
    private static let day: Int64 = 86_400
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100000, grace: 3 hours}
        purposes:
          product:
            explanation: To see.
            consent: not_required
            rotation: 1 day
            retention: 30 days
            budget: {epsilon: 31, per: month}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          views:
            title: Views
            events: [view]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os]
            period: day
            contribution_bound: 5
            noise: {mechanism: laplace, epsilon: 1}
        insights:
          by_system: {title: Views by system, metric: views, kind: count, by: [os]}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily:
            title: Daily
            partner: bank
            insights: [by_system]
            period: day
            schedule: 0 6 * * *
            formats: [json, html, csv]
            deliver: [{folder: out}]
        """

    @Test("three days, of which one has events: each is released with a number a cell, and reported with its noise")
    func endToEnd() async throws {
        let settings = try await TestCluster.database()
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let counters = CounterStore(settings)
        let store = ReleaseStore(settings)
        let scheduler = ReleaseScheduler(store: store, rules: .system)
        // Nothing is registered: nothing to open.
        #expect(try await scheduler.releaseDue(of: plan, now: Self.today + 60).isEmpty)
        try await counters.registerLayouts([layout])
        #expect(try await scheduler.releaseDue(of: plan, now: Self.today + 60).isEmpty)
        let start = try await counters.attach(daemon: DaemonID(UUID()))
        let flush = Flush(
            after: start, through: start.next, layouts: [layout],
            counters: [
                CounterDelta(
                    layout: 0, periodStart: Self.today, measure: .count, cell: CellIndex(0), delta: 1_000_000),
                // A day before the calendar's first is never released, as its existence would be what was counted: what
                // is dated then counts into the day that is open.
                CounterDelta(
                    layout: 0, periodStart: Self.today - Self.day, measure: .count, cell: CellIndex(0), delta: 5),
            ],
            distinct: [])
        _ = try await counters.flush(flush, now: Self.today + 3600)

        let now = Self.today + 3 * Self.day + 6 * 3600
        let made = try await scheduler.releaseDue(of: plan, now: now)
        #expect(made.map(\.period.start) == (0..<3).map { Self.today + $0 * Self.day })
        #expect(made.allSatisfy { $0.published == 4 && $0.withheld == 0 && $0.gap == nil })
        #expect(try await scheduler.releaseDue(of: plan, now: now).isEmpty)

        let releases = try await store.releases(
            app: "shop", metric: "views", periodKind: .day, from: .epoch, to: .max)
        #expect(releases.count == 3)
        for release in releases {
            // Scale 10: a number is off by more than 400 with a chance of e^-40.
            let counted: Int64 = release.header.period.start == Self.today ? 1_000_000 : 0
            #expect(
                release.cells.map { abs($0.count - ($0.margin == .total || $0.cell.value == 0 ? counted : 0)) }
                    .allSatisfy { $0 < 400 })
        }

        let folder = FileManager.default.temporaryDirectory.path + "/throng-noisy-\(UUID().uuidString)"
        let reports = ReportScheduler(store: store, rules: .system, folder: folder)
        #expect(try await reports.deliverDue(of: plan, now: now) { _, error in Issue.record(error) } == 3)
        let data = try #require(
            FileManager.default.contents(atPath: folder + "/out/daily-2026-11-20.json"))
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\"mechanism\": \"laplace\""))
        #expect(!text.contains("\"status\": \"withheld\""))
        try FileManager.default.removeItem(atPath: folder)
        store.close()
    }

    @Test("with unit: device parts add up and none is negative, the report has each grouping's margin, and no coverage")
    func devices() async throws {
        let settings = try await TestCluster.database()
        let yaml = Self.yaml.replacing("    contribution_bound: 5\n", with: "")
            .replacing("epsilon: 1}", with: "epsilon: 1, unit: device}")
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let (counters, store) = (CounterStore(settings), ReleaseStore(settings))
        defer { store.close() }
        let scheduler = ReleaseScheduler(store: store, rules: .system)
        try await counters.registerLayouts([layout])
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + 60)
        _ = try await Self.count([Self.today: 500], layout, counters)
        let now = Self.today + Self.day + 6 * 3600
        #expect(try await scheduler.releaseDue(of: plan, now: now).map(\.published) == [4])
        let release = try #require(
            try await store.releases(app: "shop", metric: "views", periodKind: .day, from: .epoch, to: .max).first)
        let counts = release.cells.map(\.count)
        #expect(counts[0] == counts[1...].reduce(0, +) && counts.allSatisfy { $0 >= 0 })
        // Scales 3/2 and 3: that a number is off by more than 60 has a chance of e^-20.
        #expect(zip(counts, [500, 500, 0, 0]).allSatisfy { abs($0 - $1) < 60 })
        #expect(release.header.noiseMargin(of: .total) == 4)
        let byGrouping = try #require(release.header.noiseMargin(of: Margin(keeping: [0])))
        #expect(byGrouping > 4 && release.header.noise?.margins == [byGrouping])

        let folder = FileManager.default.temporaryDirectory.path + "/throng-noisy-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = ReportKeyFolder(dataPath: folder)
        _ = try key.rotate(now: Self.today)
        let reports = ReportScheduler(store: store, rules: .system, folder: folder, signing: key)
        #expect(try await reports.deliverDue(of: plan, now: now) { _, error in Issue.record(error) } == 1)
        func text(_ name: String) throws -> String {
            String(decoding: try #require(FileManager.default.contents(atPath: folder + "/out/" + name)), as: UTF8.self)
        }
        #expect(try text("daily-2026-11-19.manifest.json").contains("\"coverage\": null"))
        #expect(try text("daily-2026-11-19.json").contains("\"margin\": \(byGrouping)"))
        #expect(try text("daily-2026-11-19.html").contains("Noise hides one device in the whole period"))
    }

    @Test("without identifiers a day is released all the same: near what was sent, with its basis in every format")
    func events() async throws {
        let settings = try await TestCluster.database()
        let yaml = Self.yaml.replacing("    rotation: 1 day\n", with: "    identifier: none\n")
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let (counters, store) = (CounterStore(settings), ReleaseStore(settings))
        defer { store.close() }
        let scheduler = ReleaseScheduler(store: store, rules: .system)
        try await counters.registerLayouts([layout])
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + 60)
        let days = (0..<8).map { Self.today + $0 * Self.day }
        _ = try await Self.count(Dictionary(uniqueKeysWithValues: days.map { ($0, 5000) }), layout, counters)
        let now = Self.today + Int64(days.count) * Self.day + 6 * 3600
        #expect(try await scheduler.releaseDue(of: plan, now: now).map(\.published) == days.map { _ in 4 })
        let releases = try await store.releases(
            app: "shop", metric: "views", periodKind: .day, from: .epoch, to: .max)
        let (counted, counts) = ([5000, 5000, 0, 0] as [Int64], releases.map { $0.cells.map(\.count) })
        for (release, counts) in zip(releases, counts) {
            #expect(release.header.noise?.unit == .event && release.header.noise?.windows == 1)
            #expect(release.header.threshold == .none, "k stands for no number of devices")
            #expect(counts[0] == counts[1...].reduce(0, +) && counts.allSatisfy { $0 >= 0 })
            // An event counts 5: scales 15/2 and 15. That a number is off by more than 300 has a chance of e^-20.
            #expect(zip(counts, counted).allSatisfy { abs($0 - $1) < 300 }, "\(counts)")
        }
        // One day shows just what was counted with a chance of a few percent, all eight with one below 10^-11.
        #expect(counts.contains { $0 != counted })

        let folder = FileManager.default.temporaryDirectory.path + "/throng-noisy-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let reports = ReportScheduler(store: store, rules: .system, folder: folder)
        #expect(try await reports.deliverDue(of: plan, now: now) { _, error in Issue.record(error) } == days.count)
        func text(_ type: String) throws -> String {
            let path = folder + "/out/daily-2026-11-19." + type
            return String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        }
        #expect(try text("json").contains("\"window_seconds\": null"))
        #expect(try text("csv").contains("events, with noise, without identifiers: of how many devices is not known"))
        let html = try text("html")
        #expect(html.contains("Noise hides one event, which counts 5 at most"))
        #expect(html.contains("Without identifiers: of how many devices is not known"))
        #expect(!html.contains("Identifiers last") && !html.contains("An identifier counts once"))
    }

    /// Counts events on iOS in one flush, under a layout, as a daemon of its own.
    private static func count(
        _ events: [UnixSeconds: Int64], _ layout: MetricLayout, _ counters: CounterStore
    ) async throws -> FlushOutcome {
        let start = try await counters.attach(daemon: DaemonID(UUID()))
        let flush = Flush(
            after: start, through: start.next, layouts: [layout],
            counters: events.map {
                CounterDelta(layout: 0, periodStart: $0.key, measure: .count, cell: CellIndex(0), delta: $0.value)
            }, distinct: [])
        return try await counters.flush(flush, now: today + 3600)
    }

    /// The totals of all releases by day, today being 0.
    private static func totals(_ store: ReleaseStore) async throws -> [Int64: Int64] {
        let all = try await store.releases(app: "shop", metric: "views", periodKind: .day, from: .epoch, to: .max)
        return Dictionary(
            uniqueKeysWithValues: all.map {
                (($0.header.period.start - today) / day, $0.cells.first { $0.margin == .total }?.count ?? .min)
            })
    }

    @Test(
        "events dated before a noisy metric was first met count into its first release, whether the calendar or they came first",
        arguments: [true, false])
    func datedBefore(isCalendarFirst: Bool) async throws {
        let settings = try await TestCluster.database()
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let (counters, store) = (CounterStore(settings), ReleaseStore(settings))
        defer { store.close() }
        let scheduler = ReleaseScheduler(store: store, rules: .system)
        try await counters.registerLayouts([layout])
        if isCalendarFirst { _ = try await scheduler.releaseDue(of: plan, now: Self.today + 60) }
        let outcome = try await Self.count(
            [Self.today: 1_000_000, Self.today - Self.day: 300_000, Self.today - 2 * Self.day: 20_000], layout, counters
        )
        #expect(outcome.redirected == 2)
        let made =
            try await scheduler.releaseDue(of: plan, now: Self.today + 60)
            + scheduler.releaseDue(of: plan, now: Self.today + 2 * Self.day + 6 * 3600)
        #expect(made.map(\.period.start) == [Self.today, Self.today + Self.day])
        let totals = try await Self.totals(store)
        #expect(abs(totals[0, default: 0] - 1_320_000) < 400, "\(totals)")
    }

    @Test(
        "on the day on which a metric becomes noisy its old layout is released, and what the new one counts is next day's"
    )
    func changeover() async throws {
        let settings = try await TestCluster.database()
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let yaml = Self.yaml.replacing("    noise: {mechanism: laplace, epsilon: 1}\n", with: "")
        let exact = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let old = try exact.layout(of: try #require(exact.metrics.first), rules: .system)
        let (counters, store) = (CounterStore(settings), ReleaseStore(settings))
        defer { store.close() }
        let scheduler = ReleaseScheduler(store: store, rules: .system)
        try await counters.registerLayouts([old])
        _ = try await scheduler.releaseDue(of: exact, now: Self.today + 60)
        try await counters.registerLayouts([layout])
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + 120)
        _ = try await Self.count([Self.today: 500_000], layout, counters)
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + Self.day + 60)
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + 3 * Self.day)
        let totals = try await Self.totals(store)
        #expect(abs(totals[1, default: 0] - 500_000) < 400, "\(totals)")
    }

    @Test("a metric whose purpose lost its budget leaves a hole that is named, and nothing is drawn")
    func withoutBudget() async throws {
        let settings = try await TestCluster.database()
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        try await CounterStore(settings).registerLayouts([
            try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        ])
        let scheduler = ReleaseScheduler(store: ReleaseStore(settings), rules: .system)
        _ = try await scheduler.releaseDue(of: plan, now: Self.today + 60)
        let yaml = Self.yaml.replacing("    budget: {epsilon: 31, per: month}\n", with: "")
            .replacing("    noise: {mechanism: laplace, epsilon: 1}\n", with: "")
        let exact = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let made = try await scheduler.releaseDue(of: exact, now: Self.today + 2 * Self.day)
        #expect(made.map(\.gap) == [.withoutBudget])

        // That day is gone for good; the one under way is only not released yet.
        let reports = ReportScheduler(store: ReleaseStore(settings), rules: .system, folder: "/nonexistent")
        func refusal(of label: String) async throws -> ReportSchedulerError {
            let period = try #require(PeriodCalendar.utc.period(labelled: label))
            return try #require(
                await #expect(throws: ReportSchedulerError.self) {
                    try await reports.document(of: plan.reports[0], plan: plan, period: period, now: period.end)
                })
        }
        let lost = try await refusal(of: "2026-11-19")
        #expect(lost == .lost(report: "daily", period: "2026-11-19"))
        #expect(!"\(lost)".contains("throng release"), "no advice that can't help")
        let due = Self.today + 2 * Self.day + plan.app.grace.components.seconds
        #expect(try await refusal(of: "2026-11-20") == .notReleased(report: "daily", period: "2026-11-20", due: due))
        #expect(try await Connection(settings).integer("select count(*) from throng.noise_draw") == 0)
    }
}
