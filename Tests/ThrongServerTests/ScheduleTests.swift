import Foundation
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongReport
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("The daemon releases and reports by itself, once")
struct ScheduleTests {
    /// 2026-11-19 00:00 UTC.
    private static let day = UnixSeconds(1_795_046_400)
    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
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
            formats: [json]
            deliver: [{folder: out/bank}]
        """

    /// A shop whose first day has 25 devices on iOS and 5 on Android.
    private struct Shop {
        let plan: Plan
        let settings: ConnectionSettings
        let store: ReleaseStore
        let releases: ReleaseScheduler
        let reports: ReportScheduler
        let folder: String

        init(_ yaml: String = ScheduleTests.plan) async throws {
            settings = try await TestCluster.database()
            plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
            let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
            let counters = CounterStore(settings)
            try await counters.registerLayouts([layout])
            let start = try await counters.attach(daemon: DaemonID(UUID()))
            let cells: [(cell: UInt32, events: Int64, devices: Int64)] = [(0, 100, 25), (1, 7, 5)]
            let flush = Flush(
                after: start,
                through: start.next,
                layouts: [layout],
                counters: cells.map {
                    CounterDelta(
                        layout: 0, periodStart: day, measure: .count, cell: CellIndex($0.cell), delta: $0.events)
                },
                distinct: cells.map {
                    DistinctDelta(
                        layout: 0, periodStart: day, margin: layout.leaf, cell: CellIndex($0.cell),
                        window: WindowNumber(day.flooredQuotient(by: 86_400)), delta: $0.devices)
                })
            _ = try await counters.flush(flush, now: day + 3600)
            folder = FileManager.default.temporaryDirectory.path + "/throng-schedule-\(UUID().uuidString)"
            store = ReleaseStore(settings)
            releases = .exact(store)
            reports = ReportScheduler(store: store, rules: .system, folder: folder)
        }

        var runs: RunStore { RunStore(store.connection) }
        var deliveries: DeliveryStore { DeliveryStore(store.connection) }

        func deliver(at now: UnixSeconds) async throws -> Int {
            try await reports.deliverDue(of: plan, now: now) { _, error in Issue.record(error) }
        }
    }

    @Test("a day is released once its grace is over, and never again")
    func release() async throws {
        let shop = try await Shop()
        let end = Self.day + 86_400
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: end + 3 * 3600 - 1).isEmpty)
        let made = try await shop.releases.releaseDue(of: shop.plan, now: end + 3 * 3600)
        #expect(made.map(\.metric) == ["views"])
        // Android is small, and nobody is in other.
        #expect(made.map(\.published) == [2])
        #expect(made.map(\.withheld) == [2])
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: end + 9 * 3600).isEmpty)
    }

    @Test(
        "whoever makes a report hears of the letters that are boxes in its PDF",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fc-list"), "no machine without it knows"))
    func boxes() async throws {
        let shop = try await Shop()
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.day + 86_400 + 3 * 3600)
        try FileManager.default.createDirectory(atPath: shop.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: shop.folder) }
        let printing = """
            #!/bin/sh
            for word; do case "$word" in --print-to-pdf=*) printf '%%PDF-1.4' > "${word#*=}";; esac; done

            """
        let program = shop.folder + "/chromium"
        try Data(printing.utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let reports = ReportScheduler(
            store: shop.store, rules: .system, folder: shop.folder, printer: PagePrinter(program: program))
        var letters: [Int] = []
        // The second is for private use, and no font's.
        for title in ["Daily", "Daily \u{10FFFD}"] {
            let yaml = Self.plan.replacing("title: Daily", with: "title: \(title)")
                .replacing("[json]", with: "[json, pdf]")
            let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
            let period = PeriodCalendar.utc.period(.day, containing: Self.day)
            var lacking = 0
            let files = try await reports.write(
                try #require(plan.reports.first), plan: plan, period: period, now: Self.day + 2 * 86_400,
                to: shop.folder + "/\(letters.count)"
            ) { if case .boxes(let letters) = $0.error { lacking = letters } else { Issue.record($0) } }
            #expect(files.contains { $0.hasSuffix(".pdf") }, "\(files)")
            letters.append(lacking)
        }
        #expect(letters.last == letters[0] + 1)
    }

    @Test("grace can be left out by hand, and a period that is not over can't be released")
    func graceByHand() async throws {
        let shop = try await Shop()
        let end = Self.day + 86_400
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: end - 1, ignoringGrace: true).isEmpty)
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: end, ignoringGrace: true).count == 1)
    }

    @Test("a report comes at its time, after the release, once; a missed one is made up for")
    func report() async throws {
        let shop = try await Shop()
        let six = Self.day + 86_400 + 6 * 3600
        #expect(try await shop.deliver(at: six) == 0, "nothing is released yet")
        _ = try await shop.releases.releaseDue(of: shop.plan, now: six)
        #expect(try await shop.deliver(at: six - 1) == 0, "not before its time")
        let lateBy = six + 3 * 86_400
        #expect(try await shop.deliver(at: lateBy) == 1)
        #expect(try await shop.deliver(at: lateBy + 60) == 0)
        let path = shop.folder + "/out/bank/daily-2026-11-19.json"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        #expect(text.contains("withheld"))
        let runs = try await shop.runs.runs(app: "shop")
        #expect(runs.map(\.outcome) == [.delivered])
        try FileManager.default.removeItem(atPath: shop.folder)
    }

    @Test("where there is a key, what is delivered is signed, and a run keeps its bytes whoever delivers it again")
    func signed() async throws {
        let shop = try await Shop(Self.plan.replacing("formats: [json]", with: "formats: [json, xlsx]"))
        let now = Self.day + 86_400 + 6 * 3600
        let keys = ReportKeyFolder(dataPath: shop.folder)
        _ = try keys.rotate(now: now)
        _ = try await shop.releases.releaseDue(of: shop.plan, now: now)
        #expect(try await shop.deliver(at: now) == 1)
        let out = shop.folder + "/out/bank"
        let list = try keys.list()
        #expect(try FolderCheck(of: out, keys: list).isGood)
        let manifest = out + "/daily-2026-11-19.manifest.json"
        let bytes = FileManager.default.contents(atPath: manifest)
        try FileManager.default.removeItem(atPath: out)
        let report = try #require(shop.plan.reports.first)
        let paths = try await shop.reports.deliver(
            report, plan: shop.plan, period: Period(kind: .day, start: Self.day, end: Self.day + 86_400),
            now: now + 999)
        #expect(paths.count == 4)
        let workbook = FileManager.default.contents(atPath: out + "/daily-2026-11-19.xlsx")
        #expect(workbook?.starts(with: Array("PK".utf8)) == true)
        #expect(String(decoding: bytes ?? Data(), as: UTF8.self).contains("daily-2026-11-19.xlsx"))
        #expect(FileManager.default.contents(atPath: manifest) == bytes, "signed once")
        #expect(try FolderCheck(of: out, keys: list).isGood)
        #expect(try await shop.runs.runs(app: "shop").map(\.outcome) == [.delivered])
        try FileManager.default.removeItem(atPath: shop.folder)
    }

    @Test(
        "a manifest states what a lost daemon may have lost of windows that were open, and of what came within the grace",
        arguments: [("1 hour", "10 hours", Int64(10 * 3600)), ("1 day", "3 hours", Int64(3 * 86_400))])
    func losses(rotation: String, grace: String, later: Int64) async throws {
        let shop = try await Shop(
            Self.plan.replacing("rotation: 1 day", with: "rotation: \(rotation)").replacing(
                "grace: 3 hours", with: "grace: \(grace)"))
        let end = Self.day + 86_400
        let since = [end + later - 1, end + later]
        let owner = Connection(shop.settings)
        defer { owner.close() }
        for (place, instant) in since.enumerated() {
            try await owner.execute(
                """
                insert into throng.member (daemon, shard, enrolled_at, lost_since, retired_at)
                values ('\(DaemonID(UUID()))', \(7 + place), 'epoch', to_timestamp(\(instant.value)),
                    to_timestamp(\(instant.value + 60)))
                """)
        }
        let now = end + 5 * 86_400
        let keys = ReportKeyFolder(dataPath: shop.folder)
        _ = try keys.rotate(now: now)
        _ = try await shop.releases.releaseDue(of: shop.plan, now: now)
        _ = try await shop.reports.deliver(
            try #require(shop.plan.reports.first), plan: shop.plan,
            period: Period(kind: .day, start: Self.day, end: end), now: now)
        let path = shop.folder + "/out/bank/daily-2026-11-19.manifest.json"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        #expect(since.map { text.contains(Instant.text($0)) } == [true, false], "\(text)")
        try FileManager.default.removeItem(atPath: shop.folder)
    }

    @Test("what waits for its release is named with the time at which it is due, and nothing that was released")
    func pending() async throws {
        let shop = try await Shop()
        let (end, due) = (Self.day + 86_400, Self.day + 86_400 + 3 * 3600)
        let pending = try await shop.store.pending(of: shop.plan)
        #expect(pending.map(\.metric) == ["views"])
        #expect(pending.map(\.period.end) == [end])
        #expect(pending.map(\.due) == [due])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: due)
        #expect(
            try await shop.store.pending(of: shop.plan).map(\.period.start) == [end], "the next day is open by then")
    }

    @Test("a report's files go when the first number in them may be kept no longer, of an earlier day and by its decay")
    func kept() async throws {
        let yaml = Self.plan.replacing(
            "    dimensions: [os]\n", with: "    dimensions: [os]\n    decay: [{after: 10 days, drop: os}]\n"
        ).replacing("kind: count, by: [os]}", with: "kind: count, by: [os], change: [period_before]}")
        let shop = try await Shop(yaml)
        let next = Self.day + 86_400
        _ = try await shop.releases.releaseDue(of: shop.plan, now: next + 60)
        let now = next + 86_400 + 6 * 3600
        _ = try await shop.releases.releaseDue(of: shop.plan, now: now)
        #expect(try await shop.deliver(at: now) == 2)
        let run = try #require(try await shop.runs.runs().last)
        #expect(run.period.start == next)
        // The day before ended when this one began.
        _ = try await RetentionStore(shop.store.connection).expire(plans: [shop.plan], now: next + 10 * 86_400 - 1)
        #expect(try await !shop.deliveries.files(of: run.name).isEmpty)
        _ = try await RetentionStore(shop.store.connection).expire(plans: [shop.plan], now: next + 10 * 86_400)
        #expect(try await shop.deliveries.files(of: run.name).isEmpty)
        try FileManager.default.removeItem(atPath: shop.folder)
    }

    @Test("a report that is tried by hand too early says when it is due, and leaves no run on record")
    func early() async throws {
        let shop = try await Shop()
        let report = try #require(shop.plan.reports.first)
        // Nobody has opened the next day yet, and it has no release: it is not over.
        let next = Period(kind: .day, start: Self.day + 86_400, end: Self.day + 2 * 86_400)
        let due = next.end + 3 * 3600
        let expected = ReportSchedulerError.notReleased(report: "daily", period: "2026-11-20", due: due)
        #expect(expected.description.contains("2026-11-21T03:00:00Z"))
        await #expect(throws: expected) {
            try await shop.reports.deliver(report, plan: shop.plan, period: next, now: next.start + 60)
        }
        #expect(try await shop.runs.runs().isEmpty)
    }

    @Test("a report is not delivered by hand before all of its period is released")
    func incomplete() async throws {
        let shop = try await Shop()
        let report = try #require(shop.plan.reports.first)
        let due = Self.day + 86_400 + 3 * 3600
        await #expect(throws: ReportSchedulerError.notComplete(report: "daily", period: "2026-11-19", due: due)) {
            try await shop.reports.deliver(
                report, plan: shop.plan, period: Period(kind: .day, start: Self.day, end: Self.day + 86_400),
                now: Self.day + 90_000)
        }
    }

    @Test(
        "a report compares with what was released before its own period was, whenever it is made; what comes later is not read"
    )
    func comparison() async throws {
        let text = Self.plan.replacing(
            "by_system: {title: Views by system, metric: views, kind: count, by: [os]}",
            with: """
                by_system: {title: Views, metric: views, kind: count, change: [period_before, week_before]}
                """)
        let plan = try Plan(yaml: text, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let settings = try await TestCluster.database()
        let layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        var position = try await counters.attach(daemon: DaemonID(UUID()))
        func count(_ events: Int64, on day: UnixSeconds) async throws {
            let cells: [(cell: UInt32, events: Int64)] = [(0, events), (1, events)]
            let flush = Flush(
                after: position, through: position.next, layouts: [layout],
                counters: cells.map {
                    CounterDelta(
                        layout: 0, periodStart: day, measure: .count, cell: CellIndex($0.cell), delta: $0.events)
                },
                distinct: cells.map {
                    DistinctDelta(
                        layout: 0, periodStart: day, margin: layout.leaf, cell: CellIndex($0.cell),
                        window: WindowNumber(day.flooredQuotient(by: 86_400)), delta: 25)
                })
            position = position.next
            _ = try await counters.flush(flush, now: day + 3600)
        }
        let (before, day) = (Self.day - 86_400, Self.day)
        let store = ReleaseStore(settings)
        let scheduler = ReleaseScheduler.exact(store)
        let reports = ReportScheduler(store: store, rules: .system, folder: "/nowhere")
        let period = PeriodCalendar.utc.period(.day, containing: day)
        func document() async throws -> ReportDocument {
            try await reports.document(of: plan.reports[0], plan: plan, period: period, now: day + 86_400)
        }
        try await count(100, on: before)
        try await count(130, on: day)
        let now = day + 2 * 86_400
        _ = try await scheduler.releaseDue(of: plan, now: now)
        let first = try await document()
        #expect(first.json.contains("\"difference\": 60,"))
        #expect(first.json.contains("\"began_later\""))
        #expect(first.sources.map(\.period) == ["2026-11-19", "2026-11-18"])
        // Last week's day comes to light only now, and is released after the report's own day.
        try await count(50, on: day - 7 * 86_400)
        #expect(try await scheduler.releaseDue(of: plan, now: now).count >= 1)
        let again = try await document()
        #expect(again == first)
        #expect(
            try ReportFiles(of: again, formats: ReportFormat.allCases)
                == ReportFiles(of: first, formats: ReportFormat.allCases))
    }

    @Test("of two daemons that look at the same time, one makes the report")
    func oneOfMany() async throws {
        let shop = try await Shop()
        let now = Self.day + 86_400 + 6 * 3600
        _ = try await shop.releases.releaseDue(of: shop.plan, now: now)
        async let first = shop.deliver(at: now)
        async let second = shop.deliver(at: now)
        let total = try await first + second
        #expect(total == 1)
        try FileManager.default.removeItem(atPath: shop.folder)
    }
}
