import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongStore

@Suite("A view of one grouping has no two rows that overlap, and each row says when it was by its app's clock")
struct GroupingViewTests {
    /// Releases by SQL: one a period, of a layout that is registered; cells as `throng.released_cell` has them.
    private static func release(
        _ layout: MetricLayout, _ periods: [Period], _ owner: Connection, groupings: [Margin],
        cells: [String] = []
    ) async throws {
        let header = String(decoding: layout.header(.day(saturday), groupings: groupings).json, as: UTF8.self)
        let identity = String(decoding: layout.json, as: UTF8.self)
        let kinds: [PeriodKind] = [.hour, .day, .week, .month]
        let rows = periods.map { period in
            "(\(kinds.firstIndex(of: period.kind) ?? 0), \(period.start), \(period.end))"
        }
        let first = "select release_id from made order by 1 limit 1"
        let values = cells.map { "((\(first)), \($0))" }.joined(separator: ", ")
        let numbers =
            "(release_id, margin, cell, buckets, count, sums, reach, firsts, count_margin, sum_margins, reach_margin)"
        try await owner.execute(
            """
            with made as (
                insert into throng.release
                    (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
                select metric_id, app, metric, kind, to_timestamp(starts), to_timestamp(ends), 20, 'ab',
                    $header$\(header)$header$, sha256('')
                from throng.metric_layout, (values \(rows.joined(separator: ", "))) as wanted (kind, starts, ends)
                where layout::text = $layout$\(identity)$layout$
                returning release_id
            )
            \(cells.isEmpty ? "select from made" : "insert into throng.released_cell \(numbers) values \(values)")
            """)
    }

    @Test("what a grouping's view adds up to is its total; it follows its layout's name, and goes with its app")
    func groupings() async throws {
        let settings = try await TestCluster.database()
        let (owner, analyst) = (Connection(settings), Connection(settings.acting(as: .analyst)))
        let layout = MetricLayout.sample()
        try await CounterStore(settings).registerLayouts([layout])
        let cells = [
            "0, 0, '{}', 90, '{9000}', 80, null, 9, '{100}', 5", "1, 0, '{}', 50, '{5000}', 40, null, 10, '{100}', 5",
            "1, 1, '{}', 30, '{3000}', null, null, 10, '{100}', null",
            "1, 2, '{}', 10, '{1000}', 10, null, 10, '{100}', 5",
        ]
        try await Self.release(
            layout, [.day(saturday)], owner, groupings: [.total, Margin(keeping: [0]), Margin(keeping: [0, 1])],
            cells: cells)
        let week = PeriodCalendar.utc.period(.week, containing: saturday)
        try await Self.release(layout, [week], owner, groupings: [.total])
        #expect(
            try await analyst.texts("select sum(events)::text from analyst.shop_orders_by_platform")
                == analyst.texts("select events::text from analyst.shop_orders_total"))
        #expect(
            try await analyst.texts(
                "select concat_ws('|', period, local_date, platform, events, revenue, revenue_margin, devices_withheld)"
                    + " from analyst.shop_orders_by_platform")
                == [
                    "2026-11-21|2026-11-21|android|50|50.00|1.00", "2026-11-21|2026-11-21|ios|30|30.00|1.00|not told",
                    "2026-11-21|2026-11-21|other|10|10.00|1.00",
                ])
        let names = "select grouping_view from analyst.margins order by 1"
        let suffixes = ["by_platform", "by_platform_step", "total", "total_weekly"]
        #expect(try await analyst.texts(names) == suffixes.map { "shop_orders_\($0)" })
        #expect(
            try await analyst.texts("select concat(period, ' ', withheld) from analyst.shop_orders_total_weekly")
                == ["2026-W47 withheld: it stands for too few people"])
        // Each column says what it is, in its view too.
        #expect(
            try await owner.texts(
                """
                select attname::text from pg_attribute where attrelid = 'analyst.shop_orders_by_platform'::regclass
                    and attnum > 0 and coalesce(col_description(attrelid, attnum), '') not like '%Unit: %'
                """) == [])
        try await CounterStore(settings).registerLayouts([.sample(steps: ["other"])])
        #expect(try await analyst.texts(names) == suffixes.map { "shop_orders_v1_\($0)" })
        #expect(try await analyst.texts("select events::text from analyst.shop_orders_v1_total") == ["90"])
        _ = try await owner.texts("select gone_kind from throng.delete_app('shop', 0)")
        #expect(
            try await owner.texts("select relname::text from pg_class where relname like 'shop_orders%'") == [])
    }

    @Test(
        "a release is named as reports name its period, also where a clock goes back, east and west of Greenwich",
        arguments: [
            "UTC", "Europe/Berlin", "Pacific/Auckland", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu",
            "America/Sao_Paulo",
        ])
    func periods(zone: String) async throws {
        let settings = try await TestCluster.database()
        let layout = MetricLayout(
            app: "shop", metric: "orders", purpose: "product", rotation: .standard, period: .hour, timeZone: zone,
            dimensions: [], sums: [], contributionBound: 1, groupings: [.total])
        try await CounterStore(settings).registerLayouts([layout])
        let calendar = try #require(PeriodCalendar(timeZone: zone))
        // Every 103 hours of a year and a half, and each hour around the days on which clocks go back.
        var times = (0..<130).map { saturday + Int64($0) * 103 * 3600 }
        for back in [1_792_886_400, 1_775_314_800, 1_793_491_200] as [Int64] {
            times += (-36..<36).map { UnixSeconds(back + $0 * 3600) }
        }
        let periods = Set(
            times.flatMap { time in
                [PeriodKind.hour, .day, .week, .month].map { calendar.period($0, containing: time) }
            }
        ).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        let owner = Connection(settings)
        try await Self.release(layout, periods, owner, groupings: [.total])
        let found = try await Connection(settings.acting(as: .analyst)).texts(
            "select concat(period, ' ', local_date) from analyst.shop_orders order by period_start, period_end")
        #expect(found == periods.map { "\(calendar.label(of: $0)) \(calendar.date(at: $0.start))" })
        #expect(found.count > 400)
    }

    @Test("of a funnel a row has those that came at least as far, by later steps or by the whole", arguments: 0..<12)
    func funnel(seed: UInt64) async throws {
        let settings = try await TestCluster.database()
        var random = SeededGenerator(seed: seed)
        let layout = MetricLayout(
            app: "shop", metric: "way", purpose: "visit", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["a", "b"], partitionsDevices: true, rule: "list"),
                .init(
                    name: "step", labels: ["seen", "cart", "paid"], partitionsDevices: true,
                    rule: "funnel seen, cart, paid"),
                .init(
                    name: "kind", labels: ["x", "y"], partitionsDevices: true, rule: "of os",
                    coarsening: .init(place: 0, buckets: [0, 1])),
            ],
            sums: [], contributionBound: 1, groupings: [.total], within: .funnel(steps: 3))
        try await CounterStore(settings).registerLayouts([layout])
        let shown = [Margin(keeping: [0]), Margin(keeping: [0, 1]), Margin(keeping: [1, 2]), Margin(keeping: [2])]
        // Published or not, by chance.
        let numbers = (0..<6).map { _ in random.next() % 3 == 0 ? nil : Int64(20 + random.next() % 50) }
        let wholes = (0..<2).map { group in
            random.next() % 3 == 0 ? nil : Int64(200 + random.next() % 50) + Int64(group)
        }
        let pairs: [(steps: Margin, whole: Margin)] = [(shown[1], shown[0]), (shown[2], shown[3])]
        let cells = pairs.flatMap { margins in
            let steps = numbers.enumerated().compactMap { place, number -> String? in
                // Where steps come first, the other dimension's bucket is the last digit.
                let cell = margins.steps == shown[1] ? place : place % 3 * 2 + place / 3
                return number.map { "\(margins.steps.bits), \(cell), '{}', \($0), '{}', null, null, 12, '{}', null" }
            }
            return steps
                + wholes.enumerated().compactMap { place, number in
                    number.map { "\(margins.whole.bits), \(place), '{}', \($0), '{}', null, null, 11, '{}', null" }
                }
        }
        try await Self.release(layout, [.day(saturday)], Connection(settings), groupings: shown, cells: cells)
        let expected = (0..<6).map { place -> String in
            let (group, step) = (place / 3, place % 3)
            let own = (0..<3).map { numbers[group * 3 + $0] }
            let later = own[step...].compactMap(\.self)
            if later.count == 3 - step { return "\(later.reduce(0, +))" }
            let earlier = own[..<step].compactMap(\.self)
            guard let whole = wholes[group], earlier.count == step, whole > earlier.reduce(0, +) else {
                return "not told: too few of its numbers are"
            }
            return "\(whole - earlier.reduce(0, +))"
        }
        let analyst = Connection(settings.acting(as: .analyst))
        for name in ["os_step", "step_kind"] {
            let group = name == "os_step" ? "os" : "kind"
            let found = try await analyst.texts(
                """
                select coalesce(reached::text, reached_withheld) from analyst.shop_way_by_\(name)
                order by \(group), array_position(array['seen', 'cart', 'paid'], step)
                """)
            #expect(found == expected, "\(name): \(numbers) of \(wholes)")
        }
        // The margin of one step is its own; a sum of two or three of three steps is further off or nearer, as noise is drawn.
        // The whole that stands for all steps is off as it says itself.
        let margins = try await analyst.texts(
            "select distinct concat(step, ' ', reached_margin) from analyst.shop_way_by_os_step where reached is not null"
        )
        #expect(Set(margins).isSubset(of: ["seen 12", "cart 14", "paid 12", "seen 11"]))
        #expect(
            try await analyst.texts("select margin from analyst.shop_way where reached is not null and step = '(all)'")
                == [])
    }
}
