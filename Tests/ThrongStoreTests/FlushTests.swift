import TestCluster
import Testing
import ThrongIngest
import ThrongPlan

@testable import ThrongStore

@Suite("Flush: acknowledged means counted, exactly once")
struct FlushTests {
    @Test("a repeated flush, after a lost COMMIT reply, changes nothing")
    func repeated() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let layout = MetricLayout.sample()
        #expect(try await store.attach(daemon: .new) == .start)
        let flush = Flush.of(layout, after: 0, through: 7, count: 5, devices: 3)
        let first = try await store.flush(flush, now: saturday)
        #expect(first.application == .applied)
        #expect(first.counters == 1)
        #expect(first.distinctCounts == 1)
        #expect(try await store.flush(flush, now: saturday).application == .alreadyApplied)
        #expect(try await store.watermark() == JournalPosition(7))
        let admin = Connection(settings)
        #expect(try await admin.integer("select sum(value)::bigint from throng.counter") == 5)
        #expect(try await admin.integer("select sum(devices)::bigint from throng.distinct_count") == 3)
    }

    @Test("what became of events is added once, with those that turn out to be late")
    func coverage() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let coverage = CoverageStore(.reporting(settings))
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        _ = try await store.flush(.of(layout, after: 0, through: 1), now: saturday)
        func flush(_ after: UInt64, count: Int64, _ coverage: [CoverageDelta]) -> Flush {
            let flush = Flush.of(layout, after: after, through: after + 1, count: count)
            return Flush(
                after: flush.after, through: flush.through, layouts: flush.layouts, counters: flush.counters,
                distinct: [], coverage: coverage)
        }
        let accepted = CoverageDelta(app: layout.app, hour: saturday, kind: .accepted, events: 40)
        let refused = CoverageDelta(app: layout.app, hour: saturday + 3600, kind: .refused(.optedOut), events: 2)
        _ = try await store.flush(flush(1, count: 40, [accepted, refused]), now: saturday)
        _ = try await store.flush(flush(1, count: 40, [accepted, refused]), now: saturday)
        _ = try await store.flush(flush(2, count: 40, [accepted]), now: saturday)
        #expect(
            try await coverage.totals(app: layout.app, period: .day(saturday)) == ["accepted": 80, "opted_out": 2])

        // Who is taken out leaves no hour behind in which nothing happened.
        let withdrawn = CoverageDelta(app: layout.app, hour: saturday + 3600, kind: .refused(.optedOut), events: -2)
        _ = try await store.flush(flush(3, count: -40, [withdrawn]), now: saturday)
        let admin = Connection(settings)
        defer { admin.close() }
        #expect(try await admin.integer("select count(*) from throng.coverage") == 1)

        try await Connection(settings).execute(
            """
            insert into throng.closed_period (metric_id, period_start, period_end)
            select metric_id, to_timestamp(\(saturday)), to_timestamp(\(saturday + day)) from throng.metric_layout
            """)
        _ = try await store.flush(flush(4, count: 7, [accepted]), now: saturday + day)
        #expect(try await coverage.totals(app: layout.app, period: .day(saturday + day)) == ["late": 7])
    }

    @Test("what is taken out again leaves PostgreSQL as it is where it never came")
    func twins() async throws {
        let layout = MetricLayout.sample()
        func rows(withdrawing: Bool) async throws -> [[String]] {
            let settings = try await TestCluster.database()
            let store = CounterStore(settings)
            _ = try await store.attach(daemon: .new)
            func flush(_ after: UInt64, count: Int64, devices: Int64, cell: UInt32) async throws {
                let flush = Flush.of(
                    layout, after: after, through: after + 1, cell: cell, count: count, devices: devices,
                    margins: layout.trackedMargins)
                let coverage = CoverageDelta(
                    app: layout.app, hour: saturday + Int64(cell) * 3600, kind: .accepted, events: count)
                _ = try await store.flush(
                    Flush(
                        after: flush.after, through: flush.through, layouts: flush.layouts,
                        counters: count > 0 ? flush.counters : [], taken: count < 0 ? flush.counters : [],
                        distinct: flush.distinct, coverage: [coverage]), now: saturday)
            }
            try await flush(0, count: 5, devices: 3, cell: 0)
            if withdrawing {
                // Beside others in their cell, and alone in another.
                for cell: UInt32 in [0, 1] {
                    try await flush(UInt64(cell) * 2 + 1, count: 4, devices: 2, cell: cell)
                    try await flush(UInt64(cell) * 2 + 2, count: -4, devices: -2, cell: cell)
                }
            }
            let admin = Connection(settings)
            defer { admin.close() }
            return [
                try await admin.texts(
                    "select row(period_start, measure, cell, value)::text from throng.counter where value <> 0 order by 1"
                ),
                try await admin.texts(
                    "select row(period_start, margin, cell, window_number, devices)::text from throng.distinct_count order by 1"
                ),
                try await admin.texts("select row(hour, kind, events)::text from throng.coverage order by 1"),
            ]
        }
        let rows = (with: try await rows(withdrawing: true), without: try await rows(withdrawing: false))
        #expect(rows.with == rows.without && rows.without.allSatisfy { !$0.isEmpty })
    }

    @Test("until when windows were closed is known behind every place in the journal, whatever the clock")
    func closings() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        func flush(_ after: UInt64, closing ended: UnixSeconds?) async throws {
            let flush = Flush.of(layout, after: after, through: after + 1)
            let closing = Flush(
                after: flush.after, through: flush.through, layouts: flush.layouts, counters: flush.counters,
                distinct: [], closedUntil: ended)
            // What was flushed already is noted once.
            for _ in 0..<2 { _ = try await store.flush(closing, now: saturday) }
        }
        func known() async throws -> [UnixSeconds?] {
            var known: [UnixSeconds?] = []
            for place in UInt64(0)...5 { known.append(try await store.closedUntil(after: JournalPosition(place))) }
            return known
        }
        try await flush(0, closing: nil)
        #expect(try await known() == [nil, nil, nil, nil, nil, nil])
        try await flush(1, closing: saturday)
        try await flush(2, closing: .max)
        try await flush(3, closing: saturday + 900)
        #expect(try await known() == [.max, .max, .max, saturday + 900, nil, nil])
        try await flush(4, closing: saturday + 1800)
        #expect(try await known() == [.max, .max, .max, saturday + 1800, saturday + 1800, nil])
        #expect(try await Connection(settings).integer("select count(*) from throng.window_closing") == 2)
        // Another daemon has closed nothing.
        _ = try await store.attach(daemon: .new)
        #expect(try await known() == [nil, nil, nil, nil, nil, nil])
    }

    @Test("a flush from anywhere but the watermark is refused")
    func moved() async throws {
        let store = CounterStore(try await TestCluster.database())
        let layout = MetricLayout.sample()
        await #expect(throws: StoreError.notAttached) {
            try await store.flush(.of(layout, after: 0, through: 1), now: saturday)
        }
        _ = try await store.attach(daemon: .new)
        _ = try await store.flush(.of(layout, after: 0, through: 7), now: saturday)
        await #expect(throws: StoreError.watermarkMoved(expected: JournalPosition(3), found: JournalPosition(7))) {
            try await store.flush(.of(layout, after: 3, through: 9), now: saturday)
        }
        // The refusal left nothing open.
        #expect(try await store.flush(.of(layout, after: 7, through: 8), now: saturday).application == .applied)
    }

    @Test("a process whose data directory was taken over can't flush any more")
    func fenced() async throws {
        let settings = try await TestCluster.database()
        let daemon = DaemonID.new
        let older = CounterStore(settings)
        let newer = CounterStore(settings)
        let layout = MetricLayout.sample()
        _ = try await older.attach(daemon: daemon)
        _ = try await older.flush(.of(layout, after: 0, through: 1), now: saturday)
        #expect(try await newer.attach(daemon: daemon) == JournalPosition(1))
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await older.flush(.of(layout, after: 1, through: 2), now: saturday)
        }
        _ = try await newer.flush(.of(layout, after: 1, through: 2), now: saturday)
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await older.flush(.of(layout, after: 1, through: 2), now: saturday)
        }
        #expect(try await Connection(settings).integer("select sum(value)::bigint from throng.counter") == 2)
    }

    @Test("counters saturate instead of failing, at both ends", arguments: [Int64.max, Int64.min])
    func saturation(bound: Int64) async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        for round in 0..<3 {
            _ = try await store.flush(
                .of(layout, after: UInt64(round), through: UInt64(round) + 1, count: bound - bound / 4), now: saturday)
        }
        #expect(try await Connection(settings).integer("select value from throng.counter") == bound)
    }

    @Test("two layouts that are the same and deltas that repeat a row are merged")
    func merged() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        let delta = CounterDelta(layout: 0, periodStart: saturday, measure: .count, cell: CellIndex(4), delta: 2)
        let again = CounterDelta(layout: 1, periodStart: saturday, measure: .count, cell: CellIndex(4), delta: 3)
        let flush = Flush(
            after: .start, through: .start.next, layouts: [layout, layout], counters: [delta, again, delta],
            distinct: [])
        #expect(try await store.flush(flush, now: saturday).counters == 1)
        #expect(try await Connection(settings).integer("select value from throng.counter") == 7)
    }

    @Test("50,000 random deltas through two interleaving daemons give what an oracle in memory gives")
    func oracle() async throws {
        let settings = try await TestCluster.database()
        let layouts = [MetricLayout.sample(), .wide(400), .sample(metric: "visits", period: .hour)]
        var oracle: [String: Int64] = [:]
        var random = SystemRandomNumberGenerator()
        var queues: [[Flush]] = [[], []]
        for daemon in 0..<2 {
            for round in 0..<10 {
                var counters: [CounterDelta] = []
                var distinct: [DistinctDelta] = []
                for _ in 0..<2500 {
                    let place = Int.random(in: 0..<3, using: &random)
                    let layout = layouts[place]
                    let start = saturday + Int64.random(in: -2...0, using: &random) * day
                    let cell = UInt32.random(in: 0..<UInt32(layout.size(of: layout.leaf)), using: &random)
                    let delta = Int64.random(in: 1...1000, using: &random)
                    if Bool.random(using: &random) {
                        let measure = Int16.random(in: 0...Int16(layout.sums.count), using: &random)
                        counters.append(
                            CounterDelta(
                                layout: place, periodStart: start, measure: MeasureIndex(measure),
                                cell: CellIndex(cell), delta: delta))
                        oracle["\(layout.metric) \(start) \(measure) \(cell)", default: 0] += delta
                    } else {
                        let window = Int64.random(in: 0..<5, using: &random)
                        distinct.append(
                            DistinctDelta(
                                layout: place, periodStart: start, margin: layout.leaf, cell: CellIndex(cell),
                                window: WindowNumber(window), delta: delta))
                        oracle["\(layout.metric) \(start) w\(window) \(cell)", default: 0] += delta
                    }
                }
                queues[daemon].append(
                    Flush(
                        after: JournalPosition(UInt64(round)), through: JournalPosition(UInt64(round + 1)),
                        layouts: layouts, counters: counters, distinct: distinct))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in queues {
                group.addTask {
                    let store = CounterStore(settings)
                    _ = try await store.attach(daemon: .new)
                    for flush in queue { _ = try await store.flush(flush, now: saturday) }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await Connection(settings).run { session in
            var stored: [String: Int64] = [:]
            let rows = try session.query(
                "test.read",
                """
                select l.metric || ' ' || extract(epoch from period_start)::bigint || ' ' || measure || ' ' || cell, sum(value)::bigint
                from throng.counter join throng.metric_layout as l using (metric_id)
                group by 1
                union all
                select l.metric || ' ' || extract(epoch from period_start)::bigint || ' w' || window_number || ' ' || cell,
                    sum(devices)::bigint
                from throng.distinct_count join throng.metric_layout as l using (metric_id)
                group by 1
                """)
            for row in rows.indices { stored[try rows.text(row, 0)] = try rows.integer(row, 1) }
            return stored
        }
        #expect(stored == oracle)
    }

    @Test("a partition that another process dropped is made again")
    func droppedPartition() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        _ = try await store.flush(.of(layout, after: 0, through: 1), now: saturday)
        try await Connection(settings).execute("drop table throng.counter_d_20261121")
        #expect(try await store.flush(.of(layout, after: 1, through: 2), now: saturday).application == .applied)
        #expect(try await Connection(settings).integer("select value from throng.counter") == 1)
    }

    @Test("a clock that is set back over several released periods blocks nothing: counts go into the next open one")
    func clockSetBack() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        _ = try await store.flush(.of(layout, after: 0, through: 1), now: saturday)
        let admin = Connection(settings)
        try await admin.execute(
            """
            insert into throng.closed_period (metric_id, period_start, period_end)
            select metric_id, to_timestamp(\(saturday)) + day * interval '1 day',
                to_timestamp(\(saturday)) + (day + 1) * interval '1 day'
            from throng.metric_layout, generate_series(0, 6) as day
            """)
        let outcome = try await store.flush(.of(layout, after: 1, through: 2, count: 5), now: saturday)
        #expect(outcome.application == .applied && outcome.redirected == 1)
        #expect(
            try await admin.integer(
                "select value from throng.counter where period_start = to_timestamp(\(saturday + 7 * day))") == 5)
    }

    @Test("a process that finds a database older than its attachment says so, and attaches again above its own fence")
    func setBack() async throws {
        let settings = try await TestCluster.database()
        let daemon = DaemonID.new
        let store = CounterStore(settings)
        let layout = MetricLayout.sample()
        _ = try await store.attach(daemon: daemon, replacing: nil, fence: 1000)
        _ = try await store.flush(.of(layout, after: 0, through: 1), now: saturday)
        let admin = Connection(settings)
        try await admin.execute("update throng.watermark set position = 0, fence = 7")
        await #expect(throws: StoreError.attachmentLost(daemon: daemon)) { try await store.watermark() }
        await #expect(throws: StoreError.attachmentLost(daemon: daemon)) {
            try await store.flush(.of(layout, after: 1, through: 2), now: saturday)
        }
        let known = try await store.watermark(of: daemon)
        #expect(known == Watermark(position: .start, fence: 7))
        #expect(try await store.attach(daemon: daemon, replacing: known, fence: 1001) == .start)
        #expect(try await store.flush(.of(layout, after: 0, through: 1), now: saturday).application == .applied)
        // Whoever looked before that comes too late.
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await CounterStore(settings).attach(daemon: daemon, replacing: known, fence: 2000)
        }
        try await admin.execute("delete from throng.watermark")
        await #expect(throws: StoreError.attachmentLost(daemon: daemon)) { try await store.watermark() }
    }
}
