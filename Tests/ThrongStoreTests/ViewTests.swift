import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Views of metrics")
struct ViewTests {
    private func views(_ settings: ConnectionSettings) async throws -> [String] {
        try await Connection(settings).texts(
            "select view_name || ':' || metric || ':' || version || ':' || is_current from analyst.metrics order by metric, version"
        )
    }

    @Test("the newest layout has the plain name, older ones end in their version, and going back swaps them")
    func versions() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let (old, new) = (MetricLayout.sample(), MetricLayout.sample(steps: ["cart", "paid", "sent", "other"]))
        try await store.registerLayouts([old])
        #expect(try await views(settings) == ["shop_orders:orders:1:true"])
        try await store.registerLayouts([new])
        #expect(try await views(settings) == ["shop_orders_v1:orders:1:false", "shop_orders:orders:2:true"])
        try await CounterStore(settings).registerLayouts([old])
        #expect(try await views(settings) == ["shop_orders:orders:1:true", "shop_orders_v2:orders:2:false"])
    }

    @Test("a layout that only a journal speaks of does not become current")
    func leftOver() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        try await store.registerLayouts([.sample()])
        _ = try await store.attach(daemon: .new)
        _ = try await store.flush(.of(.sample(steps: ["other"]), after: 0, through: 1), now: saturday)
        #expect(try await views(settings) == ["shop_orders:orders:1:true", "shop_orders_v2:orders:2:false"])
    }

    @Test("names that are taken, or that 63 bytes would make equal, give way to names with a digest")
    func collisions() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        let long = String(repeating: "a", count: 63)
        try await store.registerLayouts([
            .sample(app: "shop_a", metric: "b"), .sample(app: "shop", metric: "a_b"),
            .sample(app: "shop", metric: MetricName(long + "x")), .sample(app: "shop", metric: MetricName(long + "y")),
            .sample(metric: "orders_v1"), .sample(), .sample(steps: ["other"]),
        ])
        let views = try await Connection(settings).texts("select view_name from analyst.metrics")
        #expect(Set(views).count == 7)
        #expect(views.allSatisfy { $0.utf8.count <= 63 })
        let analyst = Connection(settings.acting(as: .analyst))
        for view in views { try await analyst.execute("select * from analyst.\"\(view)\"") }
    }

    @Test("a dimension that is made of another is one more column, and its rows read (all) in the other's")
    func derived() async throws {
        let settings = try await TestCluster.database()
        let shown = [Margin.total, Margin(keeping: [0]), Margin(keeping: [1, 2])]
        let layout = MetricLayout(
            app: "shop", metric: "grouped", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "linux", "other"], partitionsDevices: true, rule: "list"),
                .init(name: "step", labels: ["cart", "other"], partitionsDevices: false, rule: "list"),
                .init(
                    name: "kind", labels: ["mobile", "other"], partitionsDevices: true, rule: "of os",
                    coarsening: .init(place: 0, buckets: [0, 1, 1])),
            ],
            sums: [], contributionBound: 1, groupings: shown)
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        let leaves = (UInt32(0)..<6).map { CellIndex($0) }
        let flush = Flush(
            after: .start, through: .start.next, layouts: [layout],
            counters: leaves.map {
                CounterDelta(layout: 0, periodStart: saturday, measure: .count, cell: $0, delta: 1 << Int64($0.value))
            },
            distinct: layout.trackedMargins.flatMap { margin in
                (UInt32(0)..<UInt32(layout.size(of: margin))).map {
                    DistinctDelta(
                        layout: 0, periodStart: saturday, margin: margin, cell: CellIndex($0),
                        window: WindowNumber(7), delta: 20)
                }
            })
        _ = try await counters.flush(flush, now: saturday)
        _ = try await ReleaseStore(settings).release(layout.header(.day(saturday), groupings: shown))
        let rows = try await Connection(settings.acting(as: .analyst)).texts(
            """
            select concat_ws(' ', os, step, kind, coalesce(events::text, withheld))
            from analyst.shop_grouped
            order by 1
            """)
        #expect(
            rows == [
                "(all) (all) (all) 63",
                "(all) cart mobile 1", "(all) cart other 20", "(all) other mobile 2", "(all) other other 40",
                "ios (all) (all) 3", "linux (all) (all) 12", "other (all) (all) 48",
            ])
    }

    @Test("columns whose names collide with each other or with fixed ones are told apart, and all are commented")
    func columns() async throws {
        let settings = try await TestCluster.database()
        let long = String(repeating: "d", count: 63)
        let names: [DimensionName] = ["events", "devices", DimensionName(long + "1"), DimensionName(long + "2")]
        let layout = MetricLayout(
            app: "shop", metric: "odd", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: names.map {
                .init(name: $0, labels: ["it's", "other"], partitionsDevices: false, rule: "list")
            },
            sums: [
                SumMeasure(name: "events", field: "f", lowest: 0, highest: 1, decimals: 0, unit: "100 % \"it's\""),
                SumMeasure(name: "tiny", field: "f", lowest: 0, highest: 1, decimals: 6, unit: ""),
            ],
            contributionBound: 1, groupings: [.total])
        try await CounterStore(settings).registerLayouts([layout])
        let columns = try await Connection(settings).run { session in
            let rows = try session.query(
                "test.columns",
                """
                select attname, col_description(attrelid, attnum) from pg_attribute
                where attrelid = 'analyst.shop_odd'::regclass and attnum > 0 order by attnum
                """)
            return try rows.indices.map { (try rows.text($0, 0), try rows.text($0, 1)) }
        }
        #expect(columns.count == 20)
        #expect(Set(columns.map(\.0)).count == 20)
        #expect(columns.map(\.0).filter { ["events", "devices", "period_start", "tiny"].contains($0) }.count == 4)
        #expect(columns.allSatisfy { $0.1.contains("Unit: ") })
        #expect(columns.contains { $0.1.contains("100 % \"it's\"") })
    }
}
