import TestCluster
import Testing
import ThrongIngest
import ThrongPlan

@testable import ThrongStore

@Suite("No delta of a flush stops the flushes after it, whenever it says that it happened")
struct MisplacedFlushTests {
    @Test(
        "what was counted by a clock far off counts into the period that is open by PostgreSQL's, as late",
        arguments: [730 * day, 101 * day, -3000 * day, -saturday.value])
    func clockFarOff(ahead: Int64) async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let admin = Connection(settings)
        let now = UnixSeconds(try await admin.integer("select extract(epoch from now())::bigint"))
        let today = Period.day(now).start
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        let wrong = Period.day(today + ahead).start
        let both = Flush(
            after: .start, through: .start.next, layouts: [layout],
            counters: [
                CounterDelta(layout: 0, periodStart: wrong, measure: .count, cell: CellIndex(0), delta: 5),
                CounterDelta(layout: 0, periodStart: today, measure: .count, cell: CellIndex(0), delta: 40),
            ],
            distinct: [
                DistinctDelta(
                    layout: 0, periodStart: wrong, margin: layout.leaf, cell: CellIndex(0), window: WindowNumber(1),
                    delta: 3)
            ])
        // While the clock is still wrong, and once it is right.
        let first = try await store.flush(both, now: now + ahead)
        #expect(first.application == .applied)
        #expect(first.redirected == 1)
        #expect(first.droppedDistinct == 1)
        #expect(try await store.flush(both, now: now).application == .alreadyApplied)
        _ = try await store.flush(.of(layout, after: 1, through: 2, at: wrong, count: 6), now: now)
        _ = try await store.flush(.of(layout, after: 2, through: 3, at: today, count: 100), now: now)
        #expect(try await admin.integer("select sum(value)::bigint from throng.counter") == 151)
        #expect(try await admin.integer("select count(distinct period_start) from throng.counter") == 1)
        #expect(
            try await admin.integer("select extract(epoch from min(period_start))::bigint from throng.counter")
                == today.value
        )
        #expect(try await admin.integer("select count(*) from throng.open_period") == 1)
    }

    @Test("where periods were released years ahead, late counts go behind them rather than nowhere")
    func releasedAhead() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let admin = Connection(settings)
        let now = UnixSeconds(try await admin.integer("select extract(epoch from now())::bigint"))
        let today = Period.day(now).start
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        _ = try await store.flush(.of(layout, after: 0, through: 1, at: today), now: now)
        try await admin.execute(
            """
            insert into throng.closed_period (metric_id, period_start, period_end)
            select metric_id, start, start + interval '1 day'
            from throng.metric_layout, generate_series(
                to_timestamp(\(today)), to_timestamp(\(today + 200 * day)), interval '1 day') as start
            """)
        _ = try await store.flush(.of(layout, after: 1, through: 2, at: today, count: 7), now: now)
        #expect(
            try await admin.integer("select extract(epoch from max(period_start))::bigint from throng.counter")
                == (today + 201 * day).value)
        #expect(try await admin.integer("select sum(value)::bigint from throng.counter") == 8)
    }
}
