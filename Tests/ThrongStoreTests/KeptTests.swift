import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Promise 6: everything gets coarser, then goes, when the label says so")
struct KeptTests {
    private static let terms = ReleaseTerms(
        threshold: .standard,
        expiry: [
            DecayStep(after: .seconds(10 * day), action: .drop("step")),
            DecayStep(after: .seconds(30 * day), action: .delete),
        ])

    /// A released Saturday of a metric of which the last plan said that it is kept for a month, its steps for ten days.
    private struct Ledger {
        let settings: ConnectionSettings
        let store: ReleaseStore
        var retention: RetentionStore { RetentionStore(store.connection) }
        let admin: Connection
        let end = saturday + day

        init() async throws {
            settings = try await TestCluster.database()
            store = ReleaseStore(settings)
            admin = Connection(settings)
            let counters = CounterStore(settings)
            let layout = MetricLayout.sample()
            try await counters.registerLayouts([layout], terms: [layout: KeptTests.terms])
            _ = try await counters.attach(daemon: .new)
            _ = try await counters.flush(
                .of(layout, after: 0, through: 1, count: 90, devices: 45, margins: layout.trackedMargins), now: saturday
            )
            let header = layout.header(.day(saturday), groupings: [.total, Margin(keeping: [0]), layout.leaf])
            _ = try await store.release(header)
        }

        func cells(splitBySteps: Bool = false) async throws -> Int64 {
            try await admin.integer(
                "select count(*) from throng.released_cell" + (splitBySteps ? " where margin & 2 <> 0" : ""))
        }

        /// The files of a run of a report.
        func files(until: UnixSeconds, report: ReportName = "daily") async throws {
            let claim = try #require(
                try await RunStore(store.connection).claimRun(
                    app: "shop", report: report, partner: "bank", period: .day(saturday), now: end + day))
            #expect(
                try await RunStore(store.connection).keep(
                    [StoredReportFile(place: 0, name: "\(report).json", contents: [123, 125])], of: claim, label: "day",
                    until: until, deliveries: [], now: end + day))
        }

        func fileCount() async throws -> Int64 { try await admin.integer("select count(*) from throng.run_file") }
    }

    private static func terms(_ steps: (days: Int, action: DecayStep.Action)...) -> ReleaseTerms {
        ReleaseTerms(
            threshold: .standard,
            expiry: steps.map { DecayStep(after: .seconds(Int64($0.days) * day), action: $0.action) })
    }

    @Test(
        "a later plan that promises more time gives none to what was counted before it; one that promises less takes it"
    )
    func loosened() async throws {
        let ledger = try await Ledger()
        let layout = MetricLayout.sample()
        try await CounterStore(ledger.settings).registerLayouts(
            [layout], terms: [layout: Self.terms((100, .drop("step")), (300, .delete))])
        #expect(try await ledger.admin.integer("select count(*) from throng.layout_promise") == 2)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 10 * day - 1)
        #expect(try await ledger.cells(splitBySteps: true) > 0)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 10 * day)
        #expect(try await ledger.cells(splitBySteps: true) == 0)
        try await CounterStore(ledger.settings).registerLayouts([layout], terms: [layout: Self.terms((20, .delete))])
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 20 * day - 1)
        #expect(try await ledger.cells() > 0)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 20 * day)
        #expect(try await ledger.cells() == 0)
    }

    @Test("what was counted after a plan had come into force is kept as long as that one says")
    func later() async throws {
        let ledger = try await Ledger()
        let layout = MetricLayout.sample()
        try await CounterStore(ledger.settings).registerLayouts([layout], terms: [layout: Self.terms((300, .delete))])
        // As if the plan before it had gone out of force two hours before the Saturday.
        try await ledger.admin.execute(
            "update throng.layout_promise set until = to_timestamp(\(saturday - 7200)) where place = 1")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 299 * day)
        #expect(try await ledger.cells(splitBySteps: true) > 0)
        // Within an hour of it, daemons may still have counted for the former one.
        try await ledger.admin.execute(
            "update throng.layout_promise set until = to_timestamp(\(saturday - 3599)) where place = 1")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 299 * day)
        #expect(try await ledger.cells() == 0)
    }

    @Test("hours go where days are kept, splits where totals are, and the same daemon's start promises nothing anew")
    func coarser() async throws {
        let ledger = try await Ledger()
        let layout = MetricLayout.sample()
        let terms = Self.terms((3, .keep(.day)), (6, .keep(.week)), (200, .delete))
        for _ in 0..<2 { try await CounterStore(ledger.settings).registerLayouts([layout], terms: [layout: terms]) }
        #expect(try await ledger.admin.integer("select count(*) from throng.layout_promise") == 2)
        try await ledger.admin.execute("delete from throng.layout_promise where place = 1")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 5 * day)
        #expect(try await ledger.cells(splitBySteps: true) > 0, "a day is no shorter than a day")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 6 * day)
        #expect(try await ledger.cells() == 0, "it is shorter than a week")

        let other = try await Ledger()
        try await CounterStore(other.settings).registerLayouts(
            [layout], terms: [layout: Self.terms((5, .keepTotals), (200, .delete))])
        _ = try await other.retention.expire(plans: [], now: other.end + 5 * day)
        #expect(try await other.admin.integer("select count(*) from throng.released_cell where margin <> 0") == 0)
        #expect(try await other.cells() == 1)
        let read = try await other.store.releases(
            app: "shop", metric: layout.metric, periodKind: .day, from: saturday, to: saturday + 1)
        #expect(read.first?.cells.map(\.margin) == [.total], "and what is left reads back")
    }

    @Test("what age takes is written down once, in a chain whose links are the SHA-256 of all before them")
    func ledger() async throws {
        let ledger = try await Ledger()
        try await ledger.files(until: ledger.end + 8 * day)
        for days in [8, 10, 10, 30] as [Int64] {
            _ = try await ledger.retention.expire(plans: [], now: ledger.end + days * day)
        }
        let deletions = DeletionStore(ledger.store.connection)
        let entries = try await deletions.entries()
        let numbers = entries.filter { $0.kind == "numbers" }
        #expect(numbers.map(\.subject) == ["orders", "orders"])
        #expect(numbers.map(\.term) == ["after 10 days: drop step", "after 30 days: delete"])
        #expect(numbers.allSatisfy { $0.period == saturday..<ledger.end })
        #expect(entries.filter { $0.kind == "files" }.map(\.subject) == ["daily"])
        #expect(entries.filter { $0.kind == "counters" }.map(\.app) == ["*"])
        #expect(entries.count == 4 && entries.allSatisfy { $0.rows > 0 })
        #expect(DeletionEntry.firstBroken(in: entries) == nil)

        // The owner of the table can change it, and anybody who recomputes it sees that.
        try await ledger.admin.execute("alter table throng.deletion disable trigger deletion_never_changes")
        try await ledger.admin.execute("update throng.deletion set rows = rows + 1 where place = 2")
        #expect(DeletionEntry.firstBroken(in: try await deletions.entries()) == 2)
        try await ledger.admin.execute("update throng.deletion set rows = rows - 1 where place = 2")
        try await ledger.admin.execute("delete from throng.deletion where place = 3")
        #expect(DeletionEntry.firstBroken(in: try await deletions.entries()) == 4)
    }

    @Test(
        "what goes next is known by every promise, once a plan that promised the same is not said twice, and what is overdue"
    )
    func due() async throws {
        let ledger = try await Ledger()
        func due() async throws -> [String] {
            try await ledger.retention.outlook([]).due.map {
                "\($0.metric) \(($0.at - ledger.end) / day) \($0.term) \($0.releases)"
            }
        }
        #expect(
            try await due() == ["orders 10 after 10 days: drop step 1", "orders 30 after 30 days: delete 1"])
        let layout = MetricLayout.sample()
        try await CounterStore(ledger.settings).registerLayouts(
            [layout], terms: [layout: Self.terms((10, .drop("step")), (300, .delete))])
        #expect(
            try await due() == [
                "orders 10 after 10 days: drop step 1", "orders 30 after 30 days: delete 1",
                "orders 300 after 300 days: delete 1",
            ])
        let first = try #require(try await ledger.retention.outlook([]).due.first)
        #expect(!first.isOverdue(at: ledger.end + 10 * day + 26 * 3600))
        #expect(first.isOverdue(at: ledger.end + 10 * day + 26 * 3600 + 1))
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 10 * day)
        #expect(
            try await due() == ["orders 30 after 30 days: delete 1", "orders 300 after 300 days: delete 1"])
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 30 * day)
        #expect(try await due() == [])
    }

    @Test("how it stands is of one moment: what went, what goes next, what is there besides, and what was promised")
    func standing() async throws {
        let ledger = try await Ledger()
        try await ledger.files(until: ledger.end + 8 * day)
        let before = try await ledger.retention.standing([])
        let due = try await ledger.retention.outlook([]).due
        #expect(before.entries.isEmpty && before.due == due && due.count == 2)
        #expect(
            before.promises == [
                KeptPromise(
                    app: "shop", metric: "orders", until: nil,
                    steps: ["after 10 days: drop step", "after 30 days: delete"])
            ])
        let files = try #require(before.held.first { $0.kind == "files" })
        #expect(files.subject == "daily" && files.rows == 1 && files.due == ledger.end + 8 * day)
        #expect(files.period == saturday..<ledger.end)
        #expect(before.held.contains { $0.kind == "counters" && $0.subject.hasPrefix("throng.counter_") })
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 30 * day)
        let after = try await ledger.retention.standing([])
        #expect(after.entries.count == 4 && after.due.isEmpty && !after.held.contains { $0.kind == "files" })
        #expect(!after.held.contains { $0.subject.hasPrefix("throng.counter_") })
    }

    @Test("nobody but age changes what is written down of it")
    func immutable() async throws {
        let ledger = try await Ledger()
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 30 * day)
        for statement in [
            "update throng.deletion set rows = 1", "delete from throng.deletion", "truncate throng.deletion",
        ] {
            await #expect(throws: PostgresError.self) { try await ledger.admin.execute(statement) }
        }
    }

    private static func without(_ metric: Bool) -> [Plan] {
        var plan = Plan.sample(decay: [])
        plan.metrics = []
        return metric ? [plan] : []
    }

    @Test(
        "numbers of a metric that was taken out of the plan, or of an app that no plan serves, go when the last plan said",
        arguments: [true, false])
    func removed(isServed: Bool) async throws {
        let ledger = try await Ledger()
        let plans = Self.without(isServed)
        #expect(try await ledger.cells(splitBySteps: true) > 0)
        _ = try await ledger.retention.expire(plans: plans, now: ledger.end + 10 * day - 1)
        #expect(try await ledger.cells(splitBySteps: true) > 0)
        _ = try await ledger.retention.expire(plans: plans, now: ledger.end + 10 * day)
        #expect(try await ledger.cells(splitBySteps: true) == 0)
        #expect(try await ledger.cells() > 0)
        _ = try await ledger.retention.expire(plans: plans, now: ledger.end + 30 * day)
        #expect(try await ledger.cells() == 0)
    }

    @Test("counters that nobody releases any more go with the numbers of their metric, not after 400 days")
    func unreleased() async throws {
        let ledger = try await Ledger()
        let counters = CounterStore(ledger.settings)
        let layout = MetricLayout.sample()
        _ = try await counters.attach(daemon: .new)
        _ = try await counters.flush(
            .of(layout, after: 0, through: 1, at: saturday + day, devices: 5), now: saturday + day)
        func left() async throws -> Int64 {
            try await ledger.admin.integer(
                "select (select count(*) from throng.open_period) + (select count(*) from throng.counter)"
                    + " + (select count(*) from throng.distinct_count)")
        }
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 30 * day)
        #expect(try await left() > 0)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 32 * day)
        #expect(try await left() == 0)
    }

    @Test("raw counters are kept no longer than what was released of them")
    func raw() async throws {
        let ledger = try await Ledger()
        try await ledger.admin.execute(
            "update throng.layout_promise set ages = '{172800}', actions = '{delete}'")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 2 * day - 1)
        #expect(try await ledger.admin.integer("select count(*) from throng.counter") > 0)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 2 * day)
        #expect(try await ledger.admin.integer("select count(*) from throng.counter") == 0)
    }

    @Test("a report's files go with the first number in them, also where no plan has the report or the app any more")
    func files() async throws {
        let ledger = try await Ledger()
        try await ledger.files(until: ledger.end + 8 * day)
        _ = try await ledger.retention.expire(plans: Self.without(true), now: ledger.end + 8 * day - 1)
        #expect(try await ledger.fileCount() == 1)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 8 * day)
        #expect(try await ledger.fileCount() == 0)
    }

    @Test(
        "files of earlier versions, of which nobody wrote down how long, are kept as long as the shortest age of their app"
    )
    func earlierFiles() async throws {
        let ledger = try await Ledger()
        try await ledger.files(until: .max)
        try await ledger.admin.execute("update throng.report_run set files_until = null")
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 10 * day - 1)
        #expect(try await ledger.fileCount() == 1)
        _ = try await ledger.retention.expire(plans: [], now: ledger.end + 10 * day)
        #expect(try await ledger.fileCount() == 0)
    }
}
