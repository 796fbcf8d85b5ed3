import TestCluster
import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease

@testable import ThrongStore

@Suite("Roles: each may do its part and nothing else")
struct RoleTests {
    private static let denied = SQLState("42501")

    /// Fails unless PostgreSQL denies the permission.
    private func expectDenied(_ sql: String, _ connection: Connection) async throws {
        do {
            try await connection.execute(sql)
            Issue.record("allowed: \(sql)")
        } catch let error as PostgresError {
            #expect(error.sqlState == Self.denied, "\(sql): \(error)")
        }
    }

    private func tables(_ settings: ConnectionSettings) async throws -> [String] {
        try await Connection(settings).texts(
            """
            select format('throng.%I', relname) from pg_class
            where relnamespace = 'throng'::regnamespace and relkind in ('r', 'p', 'v', 'S') order by 1
            """)
    }

    @Test("an analyst reads the views of released numbers and is denied every table behind them")
    func analyst() async throws {
        let settings = try await TestCluster.database()
        let layout = MetricLayout.sample()
        let counters = CounterStore(settings)
        try await counters.registerLayouts([layout])
        _ = try await counters.attach(daemon: .new)
        let flush = Flush.of(layout, after: 0, through: 1, count: 50, devices: 25, margins: layout.trackedMargins)
        _ = try await counters.flush(flush, now: saturday)
        _ = try await ReleaseStore(settings).release(layout.header(.day(saturday), groupings: [.total, layout.leaf]))
        let analyst = Connection(settings.acting(as: .analyst))
        let rows = try await analyst.texts(
            """
            select concat_ws(' ', extract(epoch from period_start)::bigint, platform, step, events, revenue, devices)
            from analyst.shop_orders
            where margin = 'platform, step' and withheld is null
            """)
        #expect(rows == ["\(saturday) android cart 50 0.00 25"])
        #expect(try await analyst.texts("select view_name from analyst.metrics") == ["shop_orders"])
        #expect(try await analyst.texts("select metric || k from analyst.releases") == ["orders20"])
        let tables = try await tables(settings)
        #expect(tables.count > 12)
        for table in tables { try await expectDenied("select * from \(table)", analyst) }
        try await expectDenied("select throng.register_layout('{}', true)", analyst)
        try await expectDenied("create table analyst.mine (a integer)", analyst)
    }

    @Test("the daemon's role adds to counters and can't read a release, write one, or delete anything")
    func ingest() async throws {
        let settings = try await TestCluster.database()
        let ingest = Connection(settings.acting(as: .ingest))
        for table in ["release", "released_cell", "decay", "report_run"] {
            try await expectDenied("select * from throng.\(table)", ingest)
        }
        for table in try await tables(settings) { try await expectDenied("delete from \(table)", ingest) }
        try await expectDenied("insert into throng.closed_period values (1, now(), now())", ingest)
        try await expectDenied("insert into throng.release default values", ingest)
        try await expectDenied("select throng.drop_released(1, null, null, now(), null, 'x')", ingest)
        try await expectDenied("select layout from throng.metric_layout", ingest)
        try await expectDenied("select * from analyst.releases", ingest)
        try await expectDenied("create table throng.mine (a integer)", ingest)
    }

    @Test("the reporter's role reads counters and can't write them, nor change what was released")
    func reporter() async throws {
        let settings = try await TestCluster.database()
        let reporter = Connection(settings.acting(as: .reporter))
        try await reporter.execute("select * from throng.counter")
        for verb in [
            "insert into throng.counter values (0, 1, now(), 1, 0, 0, 1)", "delete from throng.counter",
            "update throng.counter set value = 0", "update throng.distinct_count set devices = 0",
            "update throng.watermark set position = 0", "update throng.release set plan = ''",
            "delete from throng.release", "delete from throng.released_cell", "delete from throng.closed_period",
            "insert into throng.metric_layout (app) values ('x')", "insert into throng.decay values (1, '*', 0)",
            "truncate throng.distinct_count", "select throng.register_layout('{}', true)",
        ] { try await expectDenied(verb, reporter) }
    }

    @Test("whether the catalogues are closed to analysts is known")
    func confined() async throws {
        let connection = try await Connection(TestCluster.database())
        let migrator = Migrator(connection)
        #expect(try await migrator.isConfined())
        try await connection.run { try $0.execute(script: "select throng.confine_analysts(false)", name: "test") }
        #expect(try await !migrator.isConfined())
        try await connection.run { try $0.execute(script: "select throng.confine_analysts(true)", name: "test") }
        #expect(try await migrator.isConfined())
        // One family that was opened again by hand is enough.
        try await connection.run {
            try $0.execute(script: "grant execute on function pg_lock_status() to public", name: "test")
        }
        #expect(try await !migrator.isConfined())
    }

    @Test("no table, view or function of the schema is open to the public")
    func nothingPublic() async throws {
        let open = try await Connection(TestCluster.database()).texts(
            """
            select relname::text from pg_class, aclexplode(relacl) as acl
            where relnamespace in ('throng'::regnamespace, 'analyst'::regnamespace) and acl.grantee = 0
            union all
            select proname::text from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
            where pronamespace in ('throng'::regnamespace, 'analyst'::regnamespace) and acl.grantee = 0
            """)
        #expect(open == [])
    }
}
