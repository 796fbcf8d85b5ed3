import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("What clients say of their firsts is counted, released and shown to analysts")
struct FirstsTests {
    private static let shown = [Margin.total, Margin(keeping: [0])]
    /// By day: the total and the system.
    private static let layout = MetricLayout(
        app: "shop", metric: "opened", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [.init(name: "os", labels: ["ios", "linux", "other"], partitionsDevices: true, rule: "list")],
        sums: [], contributionBound: 10, groupings: shown, firstPeriods: [.day])

    private static func count(_ settings: ConnectionSettings, onLinux said: Int64 = 120) async throws {
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        // By leaf: events, devices of one window, and devices of the day as they say.
        let cells: [(events: Int64, window: Int64, said: Int64)] = [(900, 60, 240), (500, 40, said), (400, 30, 90)]
        let deltas = cells.enumerated().flatMap { cell, counted in
            [(MeasureIndex.count, counted.events), (MeasureIndex(1), counted.said), (MeasureIndex(2), counted.said)].map
            {
                CounterDelta(
                    layout: 0, periodStart: saturday, measure: $0.0, cell: CellIndex(UInt32(cell)), delta: $0.1)
            }
        }
        let distinct = cells.enumerated().flatMap { cell, counted in
            (0..<4).map {
                DistinctDelta(
                    layout: 0, periodStart: saturday, margin: layout.leaf, cell: CellIndex(UInt32(cell)),
                    window: WindowNumber(saturday.flooredQuotient(by: 900) + $0), delta: counted.window)
            }
        }
        let flush = Flush(
            after: .start, through: .start.next, layouts: [layout], counters: deltas, distinct: distinct)
        _ = try await counters.flush(flush, now: saturday)
    }

    @Test("a release tells them and not the windows' devices, and reads back with the same digest")
    func releases() async throws {
        let settings = try await TestCluster.database()
        try await Self.count(settings)
        let store = ReleaseStore(settings)
        let made = try await store.release(Self.layout.header(.day(saturday), groupings: Self.shown))
        let release = try #require(made).release
        #expect(release.cells.map(\.firsts) == [450, 240, 120, 90])
        #expect(release.cells.allSatisfy { $0.reach == nil })
        let read = try await store.releases(
            app: "shop", metric: "opened", periodKind: .day, from: saturday, to: saturday + day)
        #expect(read == [release])
        #expect(read.first?.digest == release.digest)
    }

    @Test("a cell that few say to be in has no number of devices, nor a margin of it; its events are shown")
    func few() async throws {
        let settings = try await TestCluster.database()
        try await Self.count(settings, onLinux: 12)
        let store = ReleaseStore(settings)
        let made = try await store.release(Self.layout.header(.day(saturday), groupings: Self.shown))
        let cell = try #require(made).release.cell(CellIndex(1), in: Margin(keeping: [0]))
        #expect(cell?.count == 500 && cell?.firsts == nil)
        let margins = "select count(*) from throng.released_cell where reach_margin is null"
        #expect(try await Connection(settings).integer(margins) == 1)
    }

    @Test("analysts see them under a name of their own; a metric without firsts has none")
    func views() async throws {
        let settings = try await TestCluster.database()
        try await Self.count(settings)
        _ = try await ReleaseStore(settings).release(Self.layout.header(.day(saturday), groupings: Self.shown))
        let rows = try await Connection(settings.acting(as: .analyst)).texts(
            "select concat_ws(' ', os, events, devices, client_devices) from analyst.shop_opened where withheld is null order by 1"
        )
        #expect(rows == ["(all) 1800 450", "ios 900 240", "linux 500 120", "other 400 90"])
        try await CounterStore(settings).registerLayouts([.sample()])
        let columns = try await Connection(settings).texts(
            """
            select attrelid::regclass || ' ' || col_description(attrelid, attnum) from pg_attribute
            where attname = 'client_devices' and attrelid in ('analyst.shop_opened'::regclass,
                'analyst.shop_orders'::regclass)
            """)
        #expect(
            columns == [
                """
                analyst.shop_opened Devices by what clients say: events that were a device's first of this row in the \
                period. Unit: devices.
                """
            ])
    }
}
