import TestCluster
import Testing
import ThrongCounting
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
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
            _ = try await store.release(layout, .day(saturday)) { cube in
                try ReleaseCase(header: header, parts: [cube]).decide()
            }
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

    private static func without(_ metric: Bool) -> [Plan] {
        let plan = Plan.sample(decay: [])
        return metric
            ? [
                Plan(
                    app: plan.app, purposes: plan.purposes, dimensions: [], metrics: [], insights: [], reports: [],
                    partners: [], version: plan.version)
            ] : []
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
            "update throng.metric_layout set expiry_after = '{172800}', expiry_drops = '{*}'")
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
