import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Release store: what was released never changes")
struct ReleaseStoreTests {
    let layout = MetricLayout.sample()
    let groupings = [Margin.total, Margin(keeping: [0]), Margin(keeping: [0, 1])]

    /// Counts 40 devices in one cell, 25 in another, and 3 events of nobody that is proved.
    private func counted(_ settings: ConnectionSettings) async throws -> CounterStore {
        let store = CounterStore(settings)
        try await store.registerLayouts([layout])
        _ = try await store.attach(daemon: .new)
        let distinct = layout.trackedMargins.flatMap { margin in
            [(UInt32(1), Int64(40)), (3, 25)].map { cell, devices in
                DistinctDelta(
                    layout: 0, periodStart: saturday, margin: margin,
                    cell: layout.projection(from: layout.leaf, to: margin)(CellIndex(cell)), window: WindowNumber(7),
                    delta: devices)
            }
        }
        let flush = Flush(
            after: .start, through: .start.next, layouts: [layout],
            counters: [
                CounterDelta(layout: 0, periodStart: saturday, measure: .count, cell: CellIndex(1), delta: 90),
                CounterDelta(layout: 0, periodStart: saturday, measure: .sum(0), cell: CellIndex(1), delta: 123_45),
                CounterDelta(layout: 0, periodStart: saturday, measure: .count, cell: CellIndex(3), delta: 60),
                CounterDelta(layout: 0, periodStart: saturday, measure: .sum(0), cell: CellIndex(3), delta: 50_00),
                CounterDelta(layout: 0, periodStart: saturday, measure: .count, cell: CellIndex(4), delta: 3),
            ],
            distinct: distinct)
        _ = try await store.flush(flush, now: saturday + 3600)
        return store
    }

    private func release(_ store: ReleaseStore) async throws -> ReleaseDecision? {
        try await store.release(layout.header(.day(saturday), groupings: groupings))
    }

    @Test("a period is released once, reads back as it was, and its distinct counts are gone")
    func once() async throws {
        let settings = try await TestCluster.database()
        let counters = try await counted(settings)
        let store = ReleaseStore(settings)
        let open = try await store.openPeriods(app: "shop")
        #expect(open == [OpenPeriod(layout: layout, period: .day(saturday))])
        let made = try #require(try await release(store)).release
        #expect(made.cells.contains { $0.count == 90 && $0.sums == [123_45] })
        #expect(made.cells.map(\.count).sorted() == [60, 63, 90, 90, 153])
        #expect(try await release(store) == nil)
        #expect(try await store.openPeriods(app: "shop").isEmpty)
        let back = try await store.releases(
            app: "shop", metric: "orders", periodKind: .day, from: saturday, to: saturday + 1)
        #expect(back == [made])
        #expect(try await Connection(settings).integer("select count(*) from throng.distinct_count") == 0)
        counters.close()
    }

    @Test("two processes that release at once make one release")
    func atOnce() async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let made = try await withThrowingTaskGroup(of: ReleaseDecision?.self) { group in
            for _ in 0..<4 { group.addTask { try await release(ReleaseStore(settings)) } }
            return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(made == 1)
    }

    @Test("PostgreSQL takes no number without its margin")
    func marginless() async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let header = String(decoding: layout.header(.day(saturday), groupings: groupings).json, as: UTF8.self)
        let admin = Connection(settings)
        await #expect {
            try await admin.execute(
                """
                with made as (
                    insert into throng.release
                        (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
                    select metric_id, app, metric, 1, to_timestamp(\(saturday)), to_timestamp(\(saturday + day)), 20, 'ab',
                        '\(header)', sha256('') from throng.metric_layout
                    returning release_id
                )
                insert into throng.released_cell (release_id, margin, cell, buckets, count, sums)
                select release_id, 0, 0, '{}', 50, '{0}' from made
                """)
        } throws: { error in (error as? PostgresError)?.sqlState == SQLState("23502") }
    }

    @Test("a release whose making fails leaves the period open")
    func failing() async throws {
        struct Refusal: Error {}
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let store = ReleaseStore(settings)
        await #expect(throws: Refusal.self) {
            _ = try await store.commit(ReleaseScope(OpenPeriod(layout: layout, period: .day(saturday)))) { _ in
                throw Refusal()
            }
        }
        #expect(try await store.openPeriods(app: "shop").count == 1)
        #expect(try await release(store) != nil)
    }

    @Test("late counts of a released period go into the open one; late distinct counts are left out")
    func redirected() async throws {
        let settings = try await TestCluster.database()
        let counters = try await counted(settings)
        _ = try await release(ReleaseStore(settings))
        let now = saturday + day + 3600
        let outcome = try await counters.flush(
            .of(layout, after: 1, through: 2, cell: 1, count: 11, devices: 4), now: now)
        #expect(outcome.redirected == 1)
        #expect(outcome.droppedDistinct == 1)
        #expect(outcome.closedPeriods == [ClosedPeriod(layout: layout.id, periodStart: saturday)])
        let admin = Connection(settings)
        let sum = "select sum(value)::bigint from throng.counter where measure = 0 and period_start = to_timestamp"
        #expect(try await admin.integer("\(sum)(\(saturday))") == 153)
        #expect(try await admin.integer("\(sum)(\(saturday + day))") == 11)
        #expect(try await admin.integer("select count(*) from throng.distinct_count") == 0)
        // A clock that was set back finds its own period released: the next open one takes the counts.
        _ = try await counters.flush(.of(layout, after: 2, through: 3, cell: 1, count: 5), now: saturday + 10)
        #expect(try await admin.integer("\(sum)(\(saturday + day))") == 16)
    }

    @Test(
        "released rows can't be changed, not even by the owner",
        arguments: [
            "update throng.release set threshold = 1", "delete from throng.release",
            "update throng.released_cell set count = count + 1", "delete from throng.released_cell",
            "truncate throng.released_cell", "truncate throng.release cascade",
            "insert into throng.released_cell select release_id, 0, 77, buckets, 1, sums, 1 from throng.released_cell limit 1",
        ])
    func immutable(sql: String) async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let store = ReleaseStore(settings)
        let made = try await release(store)?.release
        let admin = Connection(settings)
        await #expect(throws: PostgresError.self) { try await admin.execute(sql) }
        #expect(
            try await store.releases(app: "shop", metric: "orders", periodKind: .day, from: .epoch, to: .max)
                == [made].compactMap { $0 })
    }

    @Test("a stored number that was changed behind the triggers is not reported")
    func tampered() async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let store = ReleaseStore(settings)
        _ = try await release(store)
        let admin = Connection(settings)
        try await admin.execute("alter table throng.released_cell disable trigger user")
        try await admin.execute("update throng.released_cell set count = count + 1")
        await #expect(throws: ReleaseError.altered(metric: "orders", period: .day(saturday))) {
            try await store.releases(app: "shop", metric: "orders", periodKind: .day, from: .epoch, to: .max)
        }
    }

    @Test("age takes the cells of a dropped dimension, then all of them; the ledger stays")
    func decay() async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let store = ReleaseStore(settings)
        _ = try await release(store)
        let retention = RetentionStore(store.connection)
        let plan = Plan.sample(decay: [DecayStep(after: .seconds(30 * day), action: .drop("step"))])
        #expect(try await retention.expire(plans: [plan], now: saturday + 20 * day).cells == 0)
        #expect(try await retention.expire(plans: [plan], now: saturday + 40 * day).cells > 0)
        #expect(try await retention.expire(plans: [plan], now: saturday + 41 * day).cells == 0)
        let left = try await store.releases(app: "shop", metric: "orders", periodKind: .day, from: .min, to: .max)
        #expect(left.count == 1)
        #expect(left[0].header.groupings == [.total, Margin(keeping: [0])])
        #expect(left[0].cells.map(\.count) == [153, 90, 63])
        #expect(try await retention.expire(plans: [plan], now: saturday + 500 * day).cells == 3)
        #expect(
            try await store.releases(app: "shop", metric: "orders", periodKind: .day, from: .epoch, to: .max) == [])
        #expect(try await Connection(settings).integer("select count(*) from throng.release") == 1)
    }

    @Test("partitions go once their periods are released and old, not before")
    func partitions() async throws {
        let settings = try await TestCluster.database()
        _ = try await counted(settings)
        let store = ReleaseStore(settings)
        let retention = RetentionStore(store.connection)
        let plan = Plan.sample(decay: [])
        #expect(
            !(try await retention.expire(plans: [plan], now: saturday + 60 * day).partitions)
                .contains("counter_d_20261121"))
        _ = try await release(store)
        let dropped = try await retention.expire(plans: [plan], now: saturday + 60 * day).partitions
        #expect(dropped.contains("counter_d_20261121"))
        #expect(dropped.contains("distinct_count_d_20261121"))
        #expect(try await Connection(settings).integer("select count(*) from throng.counter") == 0)
    }

    @Test("a report run is made once; a failed or abandoned one is made again, by one process")
    func runs() async throws {
        let store = RunStore(try await TestCluster.database())
        func claim(_ now: UnixSeconds) async throws -> ReportRunClaim? {
            try await store.claimRun(
                app: "shop", report: "weekly", partner: "supplier", period: .day(saturday), now: now,
                lease: .seconds(900), tries: 3)
        }
        let first = try #require(try await claim(saturday))
        #expect(try await claim(saturday + 899) == nil)
        let second = try #require(try await claim(saturday + 900))
        #expect(second.attempt == 2)
        #expect(try await !store.finishRun(first, .delivered, detail: nil, now: saturday + 901))
        #expect(try await store.finishRun(second, .failed, detail: "the folder is read-only", now: saturday + 902))
        let third = try #require(try await claim(saturday + 903))
        #expect(try await store.finishRun(third, .delivered, detail: nil, now: saturday + 904))
        #expect(try await claim(saturday + 90_000) == nil)
        let runs = try await store.runs(app: "shop", report: "weekly")
        #expect(runs.map(\.outcome) == [.delivered])
        #expect(runs.map(\.finishedAt) == [saturday + 904])
    }

    @Test("the last runs are those that began last, and of each report the latest period's")
    func lastRuns() async throws {
        let store = RunStore(try await TestCluster.database())
        func run(_ report: ReportName, _ day: Int64, at start: UnixSeconds) async throws {
            let claim = try await store.claimRun(
                app: "shop", report: report, partner: "supplier", period: .day(saturday + day * 86_400), now: start)
            try await store.finishRun(try #require(claim), .delivered, detail: nil, now: start + 1)
        }
        for day in Int64(0)..<5 { try await run("quiet", day, at: saturday + day) }
        for day in Int64(0)..<9 { try await run("busy", day, at: saturday + 1000 + day) }
        let runs = try await store.lastRuns(3)
        #expect(runs.map(\.report) == ["busy", "busy", "busy", "quiet"])
        #expect(runs.map { ($0.period.start - saturday) / 86_400 } == [8, 7, 6, 4])
        #expect(try await store.lastRuns(100).count == 14)
        // Of a day and a week that start together, the week is the later one.
        let monday = PeriodCalendar.utc.period(.week, containing: saturday + 30 * 86_400)
        for period in [monday, .day(monday.start)] {
            let claim = try await store.claimRun(
                app: "shop", report: "quiet", partner: "supplier", period: period, now: saturday + 100)
            try await store.finishRun(try #require(claim), .delivered, detail: nil, now: saturday + 101)
        }
        #expect(try await store.lastRuns(1).filter { $0.report == "quiet" }.map(\.period.kind) == [.week])
    }

    @Test("a run whose files have no signature is told, and no other: not one that failed, nor one that is signed")
    func unsigned() async throws {
        let store = RunStore(try await TestCluster.database())
        func run(_ day: Int64, _ names: [String]) async throws {
            let claim = try #require(
                try await store.claimRun(
                    app: "shop", report: "weekly", partner: "supplier", period: .day(saturday + day * 86_400),
                    now: saturday))
            guard !names.isEmpty else {
                try await store.finishRun(claim, .failed, detail: nil, now: saturday)
                return
            }
            let files = names.enumerated().map { StoredReportFile(place: $0.offset, name: $0.element, contents: [1]) }
            #expect(try await store.keep(files, of: claim, label: "x", deliveries: [], now: saturday))
        }
        try await run(0, ["a.html", "a.manifest.json", "a.manifest.sig"])
        try await run(1, ["b.html", "b.json"])
        try await run(2, [])
        // It is the ending that counts.
        try await run(3, ["c.manifest.sig.html"])
        let found = try await store.unsignedRuns(ending: ".manifest.sig", 10)
        #expect(found.map { ($0.period.start - saturday) / 86_400 } == [3, 1])
        #expect(
            try await store.unsignedRuns(ending: ".manifest.sig", 1).map { ($0.period.start - saturday) / 86_400 } == [
                3
            ])
    }

    @Test("members are the daemons that attached, with who has stopped in order")
    func members() async throws {
        let settings = try await TestCluster.database()
        let store = MemberAdmin(.reporting(settings))
        #expect(try await store.members().isEmpty)
        let daemons = [DaemonID.new, DaemonID.new].sorted { $0.description < $1.description }
        let counters = daemons.map { _ in CounterStore(settings) }
        for (daemon, counters) in zip(daemons, counters) { _ = try await counters.attach(daemon: daemon) }
        try await counters[1].settle(.left)
        let members = try await store.members()
        #expect(members.map(\.daemon) == daemons)
        #expect(members.map(\.hasLeft) == [false, true])
    }
}
