import Dispatch
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongStore

@Suite("Analysts see every cell of a release, and nothing that tells withheld ones apart")
struct AnalystViewTests {
    private static let wording = "withheld: it stands for too few people"
    private static let shown = [Margin.total, Margin(keeping: [0]), Margin(keeping: [0, 1])]

    /// Carts of 25 and more devices on each platform, and 3 orders paid by 3 devices of ios; nothing else.
    private func released(_ settings: ConnectionSettings) async throws -> MetricLayout {
        let layout = MetricLayout.sample()
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        var position: UInt64 = 0
        for (cell, count, devices) in [(UInt32(0), Int64(50), Int64(25)), (3, 40, 30), (4, 3, 3), (6, 60, 40)] {
            let flush = Flush.of(
                layout, after: position, through: position + 1, cell: cell, count: count, devices: devices,
                margins: layout.trackedMargins)
            position += 1
            _ = try await counters.flush(flush, now: saturday)
        }
        _ = try await ReleaseStore(settings).release(layout.header(.day(saturday), groupings: Self.shown))
        return layout
    }

    @Test("a small cell and an empty one are the same row but for their labels")
    func alike() async throws {
        let settings = try await TestCluster.database()
        _ = try await released(settings)
        let analyst = Connection(settings.acting(as: .analyst))
        // In the order of the plan's buckets, whatever is published of them.
        let platforms = ["android", "ios", "other"]
        #expect(
            try await analyst.texts("select concat_ws(' ', margin || ':', platform, step) from analyst.shop_orders")
                == ["(total): (all) (all)"] + platforms.map { "platform: \($0) (all)" }
                + platforms.flatMap { platform in
                    ["cart", "paid", "other"].map { "platform, step: \(platform) \($0)" }
                })
        let published = try await analyst.texts(
            """
            select concat_ws(' ', platform, step, events, revenue, devices) from analyst.shop_orders
            where withheld is null and margin = 'platform, step'
            """)
        #expect(published.contains("android cart 50 0.00 25"))
        #expect(!published.contains { $0.hasPrefix("ios paid") })
        let withheld = try await analyst.texts(
            """
            select concat_ws('|', period_start, period_end, period_kind, margin, events, revenue, devices, withheld)
            from analyst.shop_orders
            where withheld is not null and margin = 'platform, step'
            """)
        #expect(withheld.count == 9 - published.count)
        #expect(
            Set(withheld) == [
                "2026-11-21 00:00:00+00|2026-11-22 00:00:00+00|day|platform, step|\(Self.wording)"
            ])
        // Nothing that knows more than what was released, and than the public plans of that time, is behind any view, so there is
        // nothing to tell them apart by.
        #expect(
            try await Connection(settings).texts(
                """
                select distinct d.refobjid::regclass::text from pg_depend as d
                join pg_rewrite as w on w.oid = d.objid
                join pg_class as v on v.oid = w.ev_class
                where v.relnamespace = 'analyst'::regnamespace and d.refclassid = 'pg_class'::regclass
                    and d.refobjid <> v.oid
                order by 1
                """)
                == ["analyst.shop_orders"]
                + [
                    "decay", "grouping_view", "impossible_cell", "layout_terms", "metric_layout", "release",
                    "released_cell", "shown_label", "shown_margin",
                ].map { "throng.\($0)" })
    }

    @Test("rows that cannot occur say so, exactly where the layout says it", arguments: 0..<12)
    func impossible(seed: UInt64) async throws {
        let settings = try await TestCluster.database()
        var random = SeededGenerator(seed: seed)
        let sizes = [2, 3, 4]
        let combinations = (0..<Int(random.next() % 5)).map { _ in
            let places = (0..<3).filter { _ in random.next() % 5 < 3 }
            return ImpossibleCombination(
                parts: (places.isEmpty ? [2] : places).map { place in
                    .init(
                        dimension: ["x", "y", "z"][place],
                        bucket: BucketLabel("\(Int(random.next() % UInt64(sizes[place])))"))
                })
        }
        let names: [DimensionName] = ["x", "y", "z"]
        let layout = MetricLayout(
            app: "shop", metric: "odd", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: zip(names, sizes).map { name, size in
                .init(
                    name: name, labels: (0..<size).map { BucketLabel("\($0)") }, partitionsDevices: false, rule: "list")
            } + [
                .init(
                    name: "half", labels: ["low", "other"], partitionsDevices: false, rule: "of z",
                    coarsening: .init(place: 2, buckets: [0, 0, 1, 1])),
                .init(
                    name: "edge", labels: ["first", "other"], partitionsDevices: false, rule: "of z",
                    coarsening: .init(place: 2, buckets: [0, 1, 1, 1])),
            ],
            sums: [], contributionBound: 1, groupings: Self.shown, impossible: combinations)
        try await CounterStore(settings).registerLayouts([layout])
        let margins = (UInt32(0)..<32).map { Margin(bits: $0) }
        let header = String(decoding: layout.header(.day(saturday), groupings: margins).json, as: UTF8.self)
        try await Connection(settings).execute(
            """
            insert into throng.release
                (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
            select metric_id, app, metric, 1, to_timestamp(\(saturday)), to_timestamp(\(saturday + day)), 20, 'ab',
                '\(header)', sha256('') from throng.metric_layout
            """)
        let found = try await Connection(settings.acting(as: .analyst)).texts(
            "select coalesce(withheld, '') from analyst.shop_odd")
        let expected = margins.flatMap { margin in
            (0..<UInt32(layout.size(of: margin))).map {
                layout.isImpossible(CellIndex($0), in: margin) ? "cannot occur" : Self.wording
            }
        }
        #expect(found == expected)
        #expect(expected.contains("cannot occur"))
    }

    @Test("groupings whose dimension age took are gone, and so is what age took whole")
    func decay() async throws {
        let settings = try await TestCluster.database()
        _ = try await released(settings)
        let owner = Connection(settings)
        let margins = "select distinct margin from analyst.shop_orders order by 1"
        #expect(try await owner.texts(margins) == ["(total)", "platform", "platform, step"])
        try await owner.execute(
            "select throng.drop_released(1, 'step', null, to_timestamp(\(saturday + 2 * day)), null, 'x')")
        #expect(try await owner.texts(margins) == ["(total)", "platform"])
        #expect(try await owner.texts("select margin from analyst.margins order by 1") == ["(total)", "platform"])
        try await owner.execute(
            "select throng.drop_released(1, null, null, to_timestamp(\(saturday + 2 * day)), null, 'x')")
        #expect(try await owner.texts(margins) == [])
    }

    /// Identifiers by how often they did something, perhaps beside a dimension.
    private func layout(
        _ metric: MetricName, within: WindowLayout?, beside name: DimensionName? = nil
    ) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: metric, purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [name].compactMap(\.self).map {
                .init(name: $0, labels: ["a", "other"], partitionsDevices: true, rule: "list")
            } + [.init(name: "times", labels: ["1", ">=2"], partitionsDevices: true, rule: "frequency [1, 2]")],
            sums: [], contributionBound: 2, groupings: [.total], within: within)
    }

    @Test("what counts identifiers says so in its column, its unit and the catalogue")
    func identifiers() async throws {
        let settings = try await TestCluster.database()
        let owner = Connection(settings)
        let bands = WindowLayout.frequency(bands: [1, 2])
        try await CounterStore(settings).registerLayouts([
            layout("often", within: bands), layout("plain", within: nil),
            layout("new", within: bands, beside: "identifiers"), layout("way", within: .funnel(steps: 2)),
        ])
        let analyst = Connection(settings.acting(as: .analyst))
        #expect(
            try await analyst.texts("select concat_ws(' ', view_name, counts) from analyst.metrics order by 1") == [
                "shop_new identifiers", "shop_often identifiers", "shop_plain events", "shop_way identifiers",
            ])
        func units(_ unit: String) async throws -> [String] {
            try await owner.texts(
                """
                select c.relname || '.' || regexp_replace(a.attname, '_[0-9a-f]{8}$', '_x') from pg_class as c
                join pg_attribute as a on a.attrelid = c.oid
                where c.relnamespace = 'analyst'::regnamespace and c.relname like 'shop%'
                    and col_description(c.oid, a.attnum) like '%Unit: \(unit).'
                order by 1
                """)
        }
        #expect(
            try await units("identifiers")
                == [
                    "shop_new.identifiers_margin", "shop_new.identifiers_x", "shop_often.identifiers",
                    "shop_often.identifiers_margin", "shop_way.identifiers", "shop_way.identifiers_margin",
                ])
        #expect(try await units("events") == ["shop_plain.events", "shop_plain.events_margin"])
        // A changed plan renames the view; what it counts keeps its name.
        try await CounterStore(settings).registerLayouts([layout("often", within: .frequency(bands: [1, 3]))])
        #expect(
            try await analyst.texts("select identifiers::text from analyst.shop_often_v1") == [])
        #expect(
            try await analyst.texts("select identifiers::text from analyst.shop_often") == [])
    }

    @Test("a total over a withheld row is null and says why; shares and changes are null with their parts")
    func functions() async throws {
        let settings = try await TestCluster.database()
        _ = try await released(settings)
        let analyst = Connection(settings.acting(as: .analyst))
        let total = "select concat_ws('|', analyst.total(events, withheld), analyst.total_reason(withheld)) from"
        #expect(
            try await analyst.texts("\(total) analyst.shop_orders where margin = 'platform, step'") == [Self.wording])
        #expect(try await analyst.texts("\(total) analyst.shop_orders where margin = 'no such'") == [""])
        #expect(
            try await analyst.texts(
                "\(total) (values (5, null), (null, 'cannot occur'), (2, null)) as v (events, withheld)") == ["7"])
        // A row that is null for another reason than that it cannot occur is missing all the same.
        #expect(try await analyst.texts("\(total) (values (5, null), (null, null)) as v (events, withheld)") == [""])
        let pairs = """
            select concat_ws('|', round(analyst.share(a, b), 3), round(analyst.change(a, b), 3), analyst.reason(x, y))
            from (values (3, 4, null, null), (null, 4, 'why', null), (null, 4, 'cannot occur', null),
                (null, null, 'cannot occur', 'why'), (1, 0, null, null)) as v (a, b, x, y)
            """
        #expect(try await analyst.texts(pairs) == ["0.750|-0.250", "why", "cannot occur", "why", ""])
    }

    @Test(
        "an analyst who keeps a view locked does not keep a plan's change from being counted",
        .timeLimit(.minutes(40)))
    func lockedView() async throws {
        let settings = try await TestCluster.database()
        let store = CounterStore(settings)
        try await store.registerLayouts([.sample()])
        let analyst = Connection(
            ConnectionSettings(
                connectionString: settings.connectionString, role: .analyst, statementTimeoutSeconds: 7200))
        let views = "select view_name || ':' || version || ':' || is_current from analyst.metrics order by version"
        let (isHeld, isSeen) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let held: Void = analyst.run { session in
            try session.transaction {
                try session.query("test.look", "select count(*) from analyst.shop_orders")
                isHeld.continuation.finish()
                isSeen.wait()
            }
        }
        // Also where something fails.
        defer { isSeen.signal() }
        for await _ in isHeld.stream {}
        let owner = Connection(settings)
        try await store.registerLayouts([.sample(steps: ["other"])])
        #expect(try await owner.texts(views) == ["shop_orders:1:false", "shop_orders_v2:2:true"])
        isSeen.signal()
        try await held
        try await CounterStore(settings).registerLayouts([.sample()])
        #expect(try await owner.texts(views) == ["shop_orders:1:true", "shop_orders_v2:2:false"])
    }

    @Test("partitions come by the clock: a day of nobody and a day of one event have the same tables")
    func partitions() async throws {
        let settings = try await TestCluster.database()
        let layout = MetricLayout.sample()
        try await CounterStore(settings).registerLayouts([layout])
        let store = CalendarStore(.reporting(settings))
        let names = "select relname::text from pg_class where relname ~ '^counter_d_' and relkind = 'r' order by 1"
        try await store.keepCalendar(of: layout, expires: .max, now: saturday + 60)
        #expect(try await Connection(settings).texts(names) == ["counter_d_20261121", "counter_d_20261122"])
        let counters = CounterStore(settings)
        _ = try await counters.attach(daemon: .new)
        _ = try await counters.flush(.of(layout, after: 0, through: 1), now: saturday + 120)
        #expect(try await Connection(settings).texts(names) == ["counter_d_20261121", "counter_d_20261122"])
        try await store.keepCalendar(of: layout, expires: .max, now: saturday + day + 60)
        #expect(
            try await Connection(settings).texts(names)
                == ["counter_d_20261121", "counter_d_20261122", "counter_d_20261123"])
    }
}
