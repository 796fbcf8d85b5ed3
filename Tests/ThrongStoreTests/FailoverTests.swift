import Foundation
import Glibc
import Logging
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan

@testable import ThrongStore

@Suite("Failover: another server takes the place, or a replica lacks what was committed", .serialized)
struct FailoverTests {
    private let directories = (0..<2).map { _ in "/tmp/throng-\(getpid())-f\(UInt16.random(in: 0...9999))" }

    private func cluster(_ directory: String) async throws -> PrivateCluster {
        let cluster = try PrivateCluster(directory: directory, logger: Logger(label: "test"))
        try await cluster.start()
        return cluster
    }

    private func number(of waiting: String, _ connection: Connection) async throws -> Int64 {
        try await connection.integer(
            """
            select coalesce(max(pid), 0)::bigint from pg_stat_activity
            where wait_event = '\(waiting)' and backend_type = 'client backend'
            """)
    }

    /// The same with so much time that nothing ends by itself while a test waits for its turn.
    private func patient(_ settings: ConnectionSettings) -> ConnectionSettings {
        ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 7200)
    }

    private struct NobodyWaits: Error {}

    /// The process that waits for something, once there is one.
    private func process(waitingFor event: String, _ connection: Connection) async throws -> Int64 {
        for _ in 0..<10_000 {
            let found = try await number(of: event, connection)
            if found != 0 { return found }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NobodyWaits()
    }

    @Test(
        "a server that does not answer is left once new connections come to another one, and not before",
        .timeLimit(.minutes(40)))
    func replaced() async throws {
        defer { directories.forEach(TestCluster.remove) }
        let first = try await cluster(directories[0])
        _ = try await cluster(directories[1])
        let one = first.settings(database: "postgres").connectionString
        let both = Connection(
            ConnectionSettings(
                connectionString: one.replacing(directories[0], with: directories.joined(separator: ",")),
                statementTimeoutSeconds: 7200))
        func place() async throws -> String { try await both.texts("show data_directory")[0] }
        let former = try await place()
        // Longer than the first look takes: it comes to the same server.
        try await both.execute("select pg_sleep(5)")
        #expect(try await place() == former)

        // Nobody comes to it any more, and who is there gets no answer.
        let late = Task { try await both.execute("select pg_sleep(7200)") }
        let admin = Connection(first.settings(database: "postgres"))
        _ = try await process(waitingFor: "PgSleep", admin)
        let socket = directories[0] + "/.s.PGSQL.5432"
        #expect(rename(socket, socket + ".away") == 0)
        await #expect(throws: PostgresError.connectionLost(query: "test.execute")) { try await late.value }
        #expect(try await place() != former)
    }

    @Test("a connection on which nothing can be written is given up, and the statement is worth another try")
    func readOnly() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        let process = try await connection.integer("select pg_backend_pid()::bigint")
        try await connection.execute("set default_transaction_read_only = on")
        do {
            try await connection.execute("create table public.t (a integer)")
            Issue.record("written")
        } catch let error as PostgresError {
            #expect(error.sqlState == .readOnly)
            #expect(error.isRetryable && error.isAbsence)
        }
        try await connection.execute("create table public.t (a integer)")
        #expect(try await connection.integer("select pg_backend_pid()::bigint") != process)
    }

    @Test(
        "a commit that the replica may lack is no success; the same flush waits for it and counts once",
        .timeLimit(.minutes(40)))
    func unreplicated() async throws {
        defer { directories.forEach(TestCluster.remove) }
        // A private server has no replicas, and therefore waits for none.
        let first = try await cluster(directories[0])
        try await Connection(first.settings).execute("alter system set max_wal_senders = 2")
        try await first.stop()
        let server = try await cluster(directories[0])
        let admin = Connection(server.settings)
        try await Migrator(admin).migrate()
        let store = CounterStore(patient(server.settings))
        _ = try await store.attach(daemon: .new)
        let layout = MetricLayout.sample()
        _ = try await store.flush(.of(layout, after: 0, through: 1, count: 5), now: saturday)

        try await admin.execute("create table public.written (number integer)")

        // A replica that never comes.
        try await admin.execute("alter system set synchronous_standby_names = 'nobody'")
        try await admin.execute("select pg_reload_conf()")
        // Commits wait from when the checkpointer has read it, too.
        let writer = Connection(patient(server.settings))
        let writing = Task { while true { try await writer.execute("insert into public.written values (1)") } }
        let written = try await process(waitingFor: "SyncRep", admin)
        try await admin.execute("select pg_cancel_backend(\(written))")
        await #expect(throws: PostgresError.unreplicated(query: "test.execute")) { try await writing.value }

        let flush = Flush.of(layout, after: 1, through: 2, count: 7)
        let cancelled = Task { try await store.flush(flush, now: saturday) }
        let waiting = try await process(waitingFor: "SyncRep", admin)
        try await admin.execute("select pg_cancel_backend(\(waiting))")
        await #expect(throws: PostgresError.unreplicated(query: "transaction.commit")) { try await cancelled.value }
        #expect(PostgresError.unreplicated(query: "").isRetryable)
        #expect(try await admin.integer("select sum(value)::bigint from throng.counter") == 12)

        // It is there, and not confirmed: the second call waits.
        let second = Task { try await store.flush(flush, now: saturday) }
        _ = try await process(waitingFor: "SyncRep", admin)
        try await admin.execute("alter system reset synchronous_standby_names")
        try await admin.execute("select pg_reload_conf()")
        #expect(try await second.value.application == .alreadyApplied)
        #expect(try await admin.integer("select sum(value)::bigint from throng.counter") == 12)
        #expect(try await store.watermark() == JournalPosition(2))
    }

    @Test("a worker that is gone is worth another try, another internal error is not")
    func lostWorker() {
        func failed(_ message: String, _ state: SQLState = .internalError) -> PostgresError {
            .statementFailed(query: "q", state: state, message: message)
        }
        for message in [
            "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally",
            "connection error: worker-1:5432", "connection to the remote node throng@worker-1:5432 failed",
            "could not receive data from server: Connection reset by peer",
        ] {
            #expect(failed(message).isRetryable && failed(message).isAbsence)
            #expect(!failed(message, SQLState("42501")).isRetryable)
        }
        #expect(!failed("cache lookup failed for relation 16400").isRetryable)
    }
}
