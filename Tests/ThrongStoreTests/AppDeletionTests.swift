import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("An app that is deleted leaves nothing in PostgreSQL but that it was, and every other app as it is")
struct AppDeletionTests {
    private static let apps: [AppName] = ["shop", "kiosk"]

    /// Two apps with everything that there is of one.
    private struct House {
        let settings: ConnectionSettings
        let admin: Connection
        let store: ReleaseStore
        var apps: AppStore { AppStore(admin) }

        init() async throws {
            settings = try await TestCluster.database()
            admin = Connection(settings)
            store = ReleaseStore(settings)
            let counters = CounterStore(settings)
            let layouts = AppDeletionTests.apps.map { MetricLayout.sample(app: $0) }
            let terms = ReleaseTerms(
                threshold: .standard, expiry: [DecayStep(after: .seconds(30 * day), action: .delete)])
            try await counters.registerLayouts(layouts, terms: [layouts[0]: terms, layouts[1]: terms])
            _ = try await counters.attach(daemon: .new)
            for (place, layout) in layouts.enumerated() {
                let after = UInt64(place)
                _ = try await counters.flush(
                    .of(
                        layout, after: 2 * after, through: 2 * after + 1, count: 90, devices: 45,
                        margins: layout.trackedMargins), now: saturday)
                _ = try await counters.flush(
                    .of(
                        layout, after: 2 * after + 1, through: 2 * after + 2, at: saturday + day, count: 9, devices: 4,
                        margins: layout.trackedMargins), now: saturday)
                let header = layout.header(.day(saturday), groupings: [.total, Margin(keeping: [0]), layout.leaf])
                _ = try await store.release(header)
                let app = layout.app
                let claim = try #require(
                    try await RunStore(store.connection).claimRun(
                        app: app, report: "daily", partner: "bank", period: .day(saturday), now: saturday + 2 * day))
                #expect(
                    try await RunStore(store.connection).keep(
                        [StoredReportFile(place: 0, name: "daily.json", contents: [123, 125])], of: claim, label: "day",
                        until: saturday + 9 * day, deliveries: [.folder("out")], now: saturday + 2 * day))
                try await admin.execute("select throng.learn_label('\(app)', 'learned', 3, 'value of \(app)')")
                try await admin.execute(
                    """
                    insert into throng.coverage values ('\(app)', to_timestamp(\(saturday)), 'accepted', 9) on conflict do nothing;
                    """)
                try await admin.execute(
                    """
                    insert into throng.access_token (token_id, secret_hash, role, app, partner, created_at, expires_at)
                    values ('\(place)0000000', sha256('\(app)'), 'partner', '\(app)', 'bank', now(), now() + interval '1 day')
                    """)
            }
        }

        /// How many rows of an app each table has, by the app's name, its layouts or its releases; none where there are none.
        func rows(_ app: AppName) async throws -> [String: Int64] {
            var rows: [String: Int64] = [:]
            for (table, column) in try await AppDeletionTests.tables(admin) {
                let of =
                    switch column {
                    case "app": "app = '\(app)'"
                    case "metric_id":
                        "metric_id in (select metric_id from throng.metric_layout where app = '\(app)')"
                    case "release_id":
                        "release_id in (select release_id from throng.release where app = '\(app)')"
                    default: "false"
                    }
                let count = try await admin.integer("select count(*) from throng.\(table) where \(of)")
                if count > 0 { rows[table] = count }
            }
            return rows
        }
    }

    /// The tables that hold something of an app, with the column that says of which; all but the ledger.
    private static func tables(_ admin: Connection) async throws -> [(table: String, column: String)] {
        try await admin.texts(
            """
            select distinct on (relname) relname || ' ' || attname
            from pg_attribute join pg_class on pg_class.oid = attrelid
            where relnamespace = 'throng'::regnamespace and relkind in ('r', 'p') and not relispartition
                and attname in ('app', 'metric_id', 'release_id') and not attisdropped
                and relname <> 'deletion'
            order by relname, array_position(array['app', 'metric_id', 'release_id'], attname::text)
            """
        ).map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), String(words[1]))
        }
    }

    @Test("every table that holds something of an app is gone through: one that is added later is missed here")
    func tables() async throws {
        let admin = Connection(try await TestCluster.database())
        let body = try await admin.texts("select prosrc from pg_proc where proname = 'delete_app'").joined()
        let tables = try await Self.tables(admin)
        #expect(tables.count > 20)
        for (table, _) in tables {
            let isGone = body.contains("delete from throng.\(table) ") || body.contains("', '\(table)', ")
            #expect(isGone, "\(table)")
        }
    }

    @Test(
        "its rows go, of each table, and its view; another's stay; the ledger tells how many went, and the chain holds")
    func deleted() async throws {
        let house = try await House()
        let (before, kept) = (try await house.rows("shop"), try await house.rows("kiosk"))
        #expect(before.count > 12 && before == kept, "\(before)")
        #expect(try await house.apps.apps().map(\.name) == ["kiosk", "shop"])
        let deliveries = try await house.apps.deliveries(of: "shop")
        #expect(
            deliveries.map(\.folder) == ["out"] && deliveries.allSatisfy(\.isShared), "the other app's are there, too")
        let went = try await house.apps.delete("shop", copies: 3)
        #expect(went.map(\.kind) == ["numbers", "counters", "files", "copies", "coverage", "labels", "records"])
        #expect(went.allSatisfy { $0.rows > 0 } && went[3].rows == 3)
        // Of the layouts and releases that are gone nobody can ask any more; so every table is counted as a whole.
        #expect(try await house.rows("shop") == [:])
        for (table, count) in kept {
            #expect(try await house.admin.integer("select count(*) from throng.\(table)") == count, "\(table)")
        }
        #expect(try await house.rows("kiosk") == kept)
        #expect(try await house.admin.texts("select view_name from analyst.metrics") == ["kiosk_orders"])
        #expect(
            try await house.admin.integer("select count(*) from pg_class where relname = 'shop_orders'") == 0)
        let entries = try await DeletionStore(house.store.connection).entries()
        #expect(DeletionEntry.firstBroken(in: entries) == nil)
        #expect(entries.map(\.kind) == went.map(\.kind) && entries.map(\.rows) == went.map(\.rows))
        #expect(
            entries.allSatisfy { $0.app == "shop" && $0.subject == "everything" && $0.term == "the app was deleted" })
        #expect(entries[0].period == saturday..<saturday + day)

        // A second time there is nothing left, and nothing is noted.
        #expect(try await house.apps.delete("shop", copies: 0).isEmpty)
        #expect(try await DeletionStore(house.store.connection).entries() == entries)
        let known = try await house.apps.apps()
        #expect(known.map(\.isKept) == [true, false] && known[1].deletedAt != nil && known[0].deletedAt == nil)
        // Triggers refuse changes as before.
        await #expect(throws: PostgresError.self) { try await house.admin.execute("delete from throng.release") }
    }

    @Test("no role of a daemon or an analyst may delete an app")
    func roles() async throws {
        let house = try await House()
        for role in [DatabaseRole.ingest, .reporter, .analyst] {
            let connection = Connection(house.settings.acting(as: role))
            do {
                _ = try await AppStore(connection).delete("shop", copies: 0)
                Issue.record("\(role) may")
            } catch let error as PostgresError {
                #expect(error.sqlState == SQLState("42501"), "\(error)")
            }
        }
    }

    @Test("a daemon that was retired holds nothing of an app; one that is only silent may")
    func retired() async throws {
        let owner = Connection(try await TestCluster.database())
        let (silent, lost) = (DaemonID.new, DaemonID.new)
        for (shard, daemon) in [silent, lost].enumerated() {
            let fence = daemon == lost ? Int64.max : 1
            try await owner.execute(
                """
                insert into throng.watermark (shard, daemon, position, fence)
                values (\(shard), '\(daemon)', 0, \(fence))
                """)
        }
        #expect(try await AppStore(owner).silences().map(\.daemon) == [silent])
    }
}
