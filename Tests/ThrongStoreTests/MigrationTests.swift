import TestCluster
import Testing

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("Migrations")
struct MigrationTests {
    @Test("migrating twice applies everything once")
    func twice() async throws {
        let migrator = Migrator(Connection(try await TestCluster.emptyDatabase()))
        #expect(try await migrator.status().allSatisfy { $0.appliedAt == nil })
        await #expect(throws: SchemaError.outdated(found: 0, known: Migration.all.last?.version ?? 0)) {
            try await migrator.verify()
        }
        #expect(try await migrator.migrate() == Migration.all.map(\.name))
        #expect(try await migrator.migrate() == [])
        try await migrator.verify()
    }

    @Test("two processes that migrate at once apply everything once")
    func atOnce() async throws {
        let settings = try await TestCluster.emptyDatabase()
        async let one = Migrator(Connection(settings)).migrate()
        async let two = Migrator(Connection(settings)).migrate()
        #expect(try await (one + two).sorted() == Migration.all.map(\.name))
    }

    @Test("a migration that was applied with another text stops the start")
    func altered() async throws {
        let connection = Connection(try await TestCluster.database())
        try await connection.execute(
            "update throng.migration set checksum = sha256('something else') where version = 1")
        await #expect(throws: SchemaError.self) { try await Migrator(connection).migrate() }
        do {
            try await Migrator(connection).verify()
            Issue.record("an altered schema was accepted")
        } catch let error as SchemaError {
            guard case .altered(let version, _, _, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(version == 1)
        }
    }

    @Test("a schema newer than the program stops the start")
    func newer() async throws {
        let connection = Connection(try await TestCluster.database())
        try await connection.execute(
            "insert into throng.migration (version, name, checksum) values (99, '0099.later.sql', sha256('later'))")
        let known = Migration.all.last?.version ?? 0
        await #expect(throws: SchemaError.newer(found: 99, known: known)) { try await Migrator(connection).migrate() }
        await #expect(throws: SchemaError.newer(found: 99, known: known)) { try await Migrator(connection).status() }
    }

    @Test(
        "a newer schema that says that it works with the program is no obstacle; one that works with later ones only is"
    )
    func expanded() async throws {
        let connection = Connection(try await TestCluster.database())
        let known = Migration.all.last?.version ?? 0
        func next(_ version: Int, worksWith: Int?) -> Migration {
            let first = worksWith.map { "-- Works with version \($0).\n" } ?? ""
            return Migration(
                version: version, name: "\(version).sql", text: Array((first + "select 1;").utf8))
        }
        let expanded = Migration.all + [next(known + 1, worksWith: known)]
        try await Migrator(connection, migrations: expanded).migrate()
        #expect(try await Migrator(connection).migrate().isEmpty)
        try await Migrator(connection).verify()
        // Once what was replaced goes, only programs that know its successor go on.
        let contracted = expanded + [next(known + 2, worksWith: known + 1)]
        try await Migrator(connection, migrations: contracted).migrate()
        try await Migrator(connection, migrations: expanded).verify()
        await #expect(throws: SchemaError.newer(found: known + 2, known: known)) {
            try await Migrator(connection).verify()
        }
        await #expect(throws: SchemaError.newer(found: known + 2, known: known)) {
            try await Migrator(connection).migrate()
        }
    }

    @Test("a migration that fails leaves nothing behind")
    func failing() async throws {
        let connection = Connection(try await TestCluster.database())
        let broken = Migration(
            version: (Migration.all.last?.version ?? 0) + 1, name: "broken.sql",
            text: Array("create table throng.half (a integer); select 1 / 0;".utf8))
        await #expect(throws: PostgresError.self) {
            try await Migrator(connection, migrations: Migration.all + [broken]).migrate()
        }
        #expect(try await connection.integer("select count(*) from pg_class where relname = 'half'") == 0)
        try await Migrator(connection).verify()
    }

    @Test("runs, files and deliveries of earlier versions keep what they are, and learn what kind of period they cover")
    func kinds() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        try await Migrator(connection, migrations: Array(Migration.all.prefix(14))).migrate()
        for statement in [
            """
            insert into throng.report_run
                (app, report, period_start, period_end, period_kind, partner, started_at, outcome)
            values ('shop', 'weekly', '2026-11-16', '2026-11-23', 2, 'bank', now(), 'made')
            """,
            """
            insert into throng.report_run
                (app, report, period_start, period_end, period_kind, partner, started_at, outcome)
            values ('shop', 'daily', '2026-11-17', '2026-11-18', 1, 'bank', now(), 'made')
            """,
            "insert into throng.run_file values ('shop', 'weekly', '2026-11-16', 0, 'a.csv', 'x')",
            "insert into throng.run_file values ('shop', 'daily', '2026-11-17', 0, 'b.csv', 'x')",
            """
            insert into throng.delivery (app, report, period_start, target, idempotency_key, next_at)
            values ('shop', 'weekly', '2026-11-16', 'folder out', sha256('x'), now())
            """,
            """
            insert into throng.delivery (app, report, period_start, target, idempotency_key, next_at)
            values ('shop', 'daily', '2026-11-17', 'folder out', sha256('y'), now())
            """,
            "insert into throng.delivered_file values ('shop', 'weekly', '2026-11-16', 'folder out', 0, null, now())",
            "insert into throng.delivered_file values ('shop', 'daily', '2026-11-17', 'folder out', 0, null, now())",
        ] { try await connection.execute(statement) }
        #expect(try await Migrator(connection).migrate() == Migration.all.dropFirst(14).map(\.name))
        for table in ["run_file", "delivery", "delivered_file"] {
            let kinds = "select string_agg(report || period_kind, ' ' order by report) from throng.\(table)"
            #expect(try await connection.texts(kinds) == ["daily1 weekly2"])
        }
        // A day of the same start is a run of its own now.
        try await connection.execute(
            """
            insert into throng.report_run
                (app, report, period_start, period_end, period_kind, partner, started_at, outcome)
            values ('shop', 'weekly', '2026-11-16', '2026-11-17', 1, 'bank', now(), 'made')
            """)
    }

    @Test("every column of every table and view has a comment")
    func comments() async throws {
        let connection = Connection(try await TestCluster.database())
        let bare = try await connection.texts(
            """
            select c.relnamespace::regnamespace || '.' || c.relname || '.' || a.attname
            from pg_class as c
            join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace in ('throng'::regnamespace, 'analyst'::regnamespace)
                and c.relkind in ('r', 'p', 'v')
                and col_description(c.oid, a.attnum) is null
            """)
        #expect(bare == [])
    }
}
