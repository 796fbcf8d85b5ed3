import TestCluster
import Testing

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

    @Test("the next version's migration finds the rows that are there, and both versions go on with them")
    func upgraded() async throws {
        let connection = Connection(try await TestCluster.database())
        func run(_ period: String) -> String {
            """
            insert into throng.report_run
                (app, report, period_kind, period_start, period_end, partner, started_at, outcome)
            values ('shop', 'weekly', 2, '\(period)', '\(period)', 'bank', now(), 'running')
            """
        }
        try await connection.execute(run("2026-11-16"))
        let known = Migration.all.last?.version ?? 0
        let next = Migration(
            version: known + 1, name: "\(known + 1).remark.sql",
            text: Array(
                """
                -- Works with version \(known).
                alter table throng.report_run add column remark text;
                update throng.report_run set remark = partner;
                """.utf8))
        let newer = Migrator(connection, migrations: Migration.all + [next])
        #expect(try await newer.migrate() == [next.name])
        #expect(try await newer.migrate() == [])
        // This version goes on: it does not name the new column.
        try await Migrator(connection).verify()
        try await connection.execute(run("2026-11-23"))
        let remarks = "select coalesce(remark, 'none') from throng.report_run order by period_start"
        #expect(try await connection.texts(remarks) == ["bank", "none"])
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
