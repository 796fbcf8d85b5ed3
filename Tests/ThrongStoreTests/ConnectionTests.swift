import TestCluster
import Testing

@testable import ThrongStore

@Suite("Connection")
struct ConnectionTests {
    /// So long that nothing ends by itself while a test waits for its turn.
    private func patientSettings() async throws -> ConnectionSettings {
        ConnectionSettings(
            connectionString: try await TestCluster.emptyDatabase().connectionString, statementTimeoutSeconds: 7200)
    }

    /// Waits until somebody sleeps in a database.
    private func sleeps(_ settings: ConnectionSettings) async throws {
        let admin = Connection(settings)
        defer { admin.close() }
        let sleepers =
            "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        while try await admin.integer(sleepers) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("a password never shows in an error, whether the string can be read or not")
    func passwords() async {
        for text in [
            "host=/nowhere user=u password=hunter2x", "postgresql://u:hunter2x@127.0.0.1:1/x",
            "postgresql://u:q@hunter2x@127.0.0.1:1/x", "postgresql://u:hunter2x@q@127.0.0.1:1/x",
            "postgresql://u:q/hunter2x@127.0.0.1:1/x", "postgres://u:q%40hunter2x@127.0.0.1:1/x",
            "postgresql://u:q@hunter2x/x@127.0.0.1:1/x", "postgresql://u@127.0.0.1:1/x?password=q@hunter2x",
            "postgresql://u:q?hunter2x@127.0.0.1:1/x", "host=127.0.0.1 port=1 password=q@hunter2x",
            "postgresql://u:hunter2x@127.0.0.1:port/x", "password hunter2x", "postgresql://u:hunter2x%zz@h/x",
        ] {
            do {
                try await Connection(ConnectionSettings(connectionString: text)).execute("select 1")
                Issue.record("connected")
            } catch {
                #expect(!"\(error)".contains("hunter2x"))
                #expect(error is PostgresError)
            }
        }
    }

    @Test("a value never shows in an error")
    func values() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        do {
            try await connection.run { _ = try $0.query("test.cast", "select $1::text::integer", [.text("canary7")]) }
            Issue.record("accepted")
        } catch let error as PostgresError {
            #expect(error.sqlState == SQLState("22P02"))
            #expect(!"\(error)".contains("canary7"))
        }
    }

    @Test("cancelling a task ends its statement, and the connection works afterwards", .timeLimit(.minutes(40)))
    func cancelling() async throws {
        let settings = try await patientSettings()
        let connection = Connection(settings)
        let task = Task { try await connection.execute("select pg_sleep(7200)") }
        try await sleeps(settings)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.integer("select 7") == 7)
    }

    @Test(
        "a connection that is given so long ends what is under way and what waits behind it, and takes nothing more",
        .timeLimit(.minutes(40)))
    func closingSoon() async throws {
        let settings = try await patientSettings()
        let connection = Connection(settings)
        #expect(try await connection.integer("select 7") == 7)
        let sleeping = Task { try await connection.execute("select pg_sleep(7200)") }
        try await sleeps(settings)
        let waiting = Task { try await connection.execute("select 1") }
        connection.close(within: .seconds(1))
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        await #expect(throws: PostgresError.closed) { try await waiting.value }
        await #expect(throws: PostgresError.closed) { try await connection.execute("select 1") }
    }

    @Test("a transaction that throws leaves nothing; a pipeline stops at its first failure")
    func transactions() async throws {
        struct Refusal: Error {}
        let connection = Connection(try await TestCluster.emptyDatabase())
        try await connection.execute("create table public.t (a integer)")
        await #expect(throws: Refusal.self) {
            try await connection.run { session in
                try session.transaction {
                    try session.query("test.insert", "insert into public.t values (1)")
                    throw Refusal()
                }
            }
        }
        do {
            try await connection.run { session in
                _ = try session.pipeline([
                    Statement(name: "test.first", sql: "insert into public.t values (2)"),
                    Statement(name: "test.second", sql: "insert into public.u values (2)"),
                    Statement(name: "test.third", sql: "insert into public.t values (3)"),
                ])
            }
            Issue.record("accepted")
        } catch let error as PostgresError {
            guard case .statementFailed(let query, let state, _) = error else { throw error }
            #expect(query == "test.second")
            #expect(state == SQLState("42P01"))
            #expect(!error.isRetryable)
        }
        #expect(try await connection.integer("select count(*) from public.t") == 0)
    }

    @Test("work that leaves its transaction open does not hand it to the next")
    func leftOpen() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        try await connection.execute("begin")
        try await connection.execute("create table public.t (a integer)")
        #expect(try await connection.integer("select count(*) from public.t") == 0)
    }

    @Test("what makes a statement worth another try")
    func retryable() {
        for code in ["08006", "57P01", "57P03", "40001", "40P01", "53300"] { #expect(SQLState(code).isRetryable) }
        for code in ["23505", "42501", "22003", "3D000"] { #expect(!SQLState(code).isRetryable) }
    }

    @Test("long and odd values survive the copy format")
    func copying() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        try await connection.execute("create table public.t (n bigint, l text[], s bigint[], at timestamptz)")
        let long = String(repeating: "ä", count: 300_000)
        let copied = try await connection.run { session in
            try session.copyIn("test.copy", "copy public.t from stdin (format binary)") { writer in
                for n in 0..<20_000 {
                    try writer.row(columns: 4, Int64(n))
                    try writer.texts(n == 7 ? [long, nil, ""] : [])
                    try writer.bigints(n == 7 ? [.min, .max] : [])
                    try writer.number(CopyWriter.instant(saturday))
                }
            }
        }
        #expect(copied == 20_000)
        #expect(
            try await connection.integer(
                """
                select count(*) from public.t where at = '2026-11-21 00:00:00+00'
                    and (n = 7) = (length(l[1]) is not distinct from 300000 and l[2] is null and s[2] > s[1])
                """) == 20_000)
    }
}
