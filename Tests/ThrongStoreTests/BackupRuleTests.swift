import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Promise 6: each row of the database has a rule of when it goes in backups, which is when it goes in the house")
struct BackupRuleTests {
    private static let rules = BackupRule.all(now: saturday, countersKept: RetentionStore.countersKept)

    /// An app with released numbers by step, raw counters, reasons, a report's files, totals and a learned label.
    private struct House {
        let admin: Connection
        let store: ReleaseStore

        init() async throws {
            let settings = try await TestCluster.database()
            admin = Connection(settings)
            store = ReleaseStore(settings)
            let counters = CounterStore(settings)
            let layout = MetricLayout.sample()
            let terms = ReleaseTerms(
                threshold: .standard,
                expiry: [
                    DecayStep(after: .seconds(10 * day), action: .drop("step")),
                    DecayStep(after: .seconds(30 * day + 3600), action: .delete),
                ])
            try await counters.registerLayouts([layout], terms: [layout: terms])
            _ = try await counters.attach(daemon: .new)
            for (place, count) in [Int64(90), 3].enumerated() {
                let after = UInt64(place)
                _ = try await counters.flush(
                    .of(
                        layout, after: after, through: after + 1, at: saturday + Int64(place) * day, count: count,
                        devices: count / 2 + 1, margins: layout.trackedMargins), now: saturday)
            }
            for start in [saturday, saturday + day] {
                let header = layout.header(.day(start), groupings: [.total, Margin(keeping: [0]), layout.leaf])
                _ = try await store.release(header)
            }
            // As learned values have them.
            try await admin.execute(
                """
                insert into throng.shown_label
                select release_id, place, 0, 'x' from throng.release, generate_series(0, 1) as place
                """)
            let claim = try #require(
                try await RunStore(store.connection).claimRun(
                    app: "shop", report: "daily", partner: "bank", period: .day(saturday), now: saturday + 2 * day))
            #expect(
                try await RunStore(store.connection).keep(
                    [StoredReportFile(place: 0, name: "daily.json", contents: [123, 125])], of: claim, label: "day",
                    until: saturday + 9 * day + 60, deliveries: [], now: saturday + 2 * day))
            try await admin.execute("update throng.report_run set outcome = 'delivered', finished_at = started_at")
            try await admin.execute(
                """
                insert into throng.coverage
                select 'shop', to_timestamp(\(saturday)) + hours * interval '1 hour', 'accepted', 9
                from generate_series(0, 40, 7) as hours
                """)
        }

        /// How many rows of a table go on which day, by its rule.
        func days(_ table: String, plans: [Plan] = []) async throws -> [Int64: Int] {
            try await BackupStore(admin).snapshot(plans: plans, now: saturday) { snapshot in
                var days: [Int64: Int] = [:]
                try snapshot.rows(of: table, columns: try snapshot.columns(of: table)) { app, term, _ in
                    #expect(app == "shop")
                    let words = term.split(separator: " ")
                    #expect(words.first == "day", "\(table): \(term)")
                    days[try #require(words.last.flatMap { Int64($0) }), default: 0] += 1
                }
                return days
            }
        }

        func count(_ table: String) async throws -> Int {
            Int(try await admin.integer("select count(*) from throng.\(table)"))
        }
    }

    @Test("every table of the schema has a rule: one that is added later is missed here")
    func tables() async throws {
        let admin = Connection(try await TestCluster.database())
        let tables = try await admin.texts(
            """
            select relname::text from pg_class
            where relnamespace = 'throng'::regnamespace and relkind in ('r', 'p') and not relispartition
            """)
        #expect(tables.count > 30)
        #expect(Set(tables) == Set(Self.rules.map(\.table)).union(BackupRule.migrator))
        #expect(Set(Self.rules.map(\.table)).count == Self.rules.count)
    }

    @Test("tables are filled after those that their rows name")
    func order() async throws {
        let admin = Connection(try await TestCluster.database())
        let arrows = try await admin.texts(
            """
            select conrelid::regclass || ' ' || confrelid::regclass from pg_constraint
            where contype = 'f' and conrelid <> confrelid
            """)
        #expect(arrows.count > 15)
        let order = Self.rules.map(\.table)
        for arrow in arrows {
            let ends = arrow.split(separator: " ").map { String($0.replacing("throng.", with: "")) }
            if BackupRule.migrator.contains(ends[0]) { continue }
            let (from, to) = (try #require(order.firstIndex(of: ends[0])), try #require(order.firstIndex(of: ends[1])))
            #expect(from > to, "\(arrow)")
        }
    }

    @Test(
        "what has a day goes in the house on that day: the round of the day before leaves it, that of the day takes it",
        arguments: ["released_cell", "shown_margin", "shown_label", "withheld_cell", "run_file", "coverage"])
    func days(table: String) async throws {
        let house = try await House()
        let days = try await house.days(table).sorted { $0.key < $1.key }
        #expect(
            !days.isEmpty && (days.count > 1 || !["released_cell", "coverage"].contains(table)), "\(table): \(days)")
        var left = days.reduce(0) { $0 + $1.value }
        #expect(try await house.count(table) == left)
        let retention = RetentionStore(house.store.connection)
        for (day, rows) in days {
            // A round comes some seconds after midnight.
            _ = try await retention.expire(plans: [], now: UnixSeconds((day - 1) * 86_400 + 1))
            #expect(try await house.count(table) == left, "\(table) before day \(day)")
            _ = try await retention.expire(plans: [], now: UnixSeconds(day * 86_400 + 1))
            left -= rows
            #expect(try await house.count(table) == left, "\(table) on day \(day)")
        }
        #expect(left == 0)
    }

    @Test("raw counters, distinct counts and periods that are open go with a table that is there until they go")
    func partitions() async throws {
        let house = try await House()
        try await house.admin.execute(
            "insert into throng.open_period select metric_id, period_start, period_end from throng.closed_period")
        for (table, parent) in [
            ("counter", "counter"), ("distinct_count", "distinct_count"), ("open_period", "distinct_count"),
            ("partition", "counter"),
        ] {
            let terms = try await BackupStore(house.admin).snapshot(plans: [], now: saturday) { snapshot in
                var terms: Set<String> = []
                try snapshot.rows(of: table, columns: try snapshot.columns(of: table)) { app, term, _ in
                    #expect(app == (table == "partition" ? "*" : "shop"))
                    terms.insert(term)
                }
                return terms
            }
            if table != "distinct_count" {
                #expect(terms.isSuperset(of: ["table \(parent)_d_20261121"]), "\(table): \(terms)")
            }
            for term in terms {
                let name = term.dropFirst("table ".count)
                #expect(
                    try await house.admin.integer(
                        "select count(*) from pg_class where relname = '\(name)' and relispartition") == 1, "\(term)")
            }
        }
    }
}
