import Foundation
import TestCluster
import Testing
import ThrongPlan

@testable import ThrongStore

@Suite("A backup of a cluster and flushes wait for each other without an end to either")
struct CrossedBackupTests {
    @Test("a backup that a flush crosses is begun anew", .timeLimit(.minutes(40)))
    func crossed() async throws {
        let settings = try await TestCluster.database()
        let patient = ConnectionSettings(
            connectionString: "\(settings.connectionString) options='-c deadlock_timeout=5s'")
        let (admin, flush, backup) = (Connection(settings), Connection(settings), Connection(patient))
        defer { for connection in [admin, flush, backup] { connection.close() } }
        let counters = CounterStore(settings)
        try await counters.registerLayouts([.sample()])
        _ = try await counters.attach(daemon: .new)
        // As if its counters were on nodes: everything else is as it is there.
        try await admin.execute(
            "create or replace function throng.counter_nodes() returns bigint language sql stable as 'select 2'")
        let hasBegun = AsyncStream<Void>.makeStream()
        let waits = "select count(*) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"
        async let flushed: Void = flush.run { session in
            try session.transaction {
                try session.execute(script: "update throng.watermark set position = 7", name: "test")
                hasBegun.continuation.finish()
                // PostgreSQL looks once, five seconds after the backup began to wait: by then this waits for it, too.
                while try session.query("test.waits", waits).integer(0, 0) == 0 { usleep(1000) }
                // The backup has waited for longer, so that PostgreSQL ends it.
                try session.execute(
                    script: """
                        set local deadlock_timeout = '1h';
                        insert into throng.open_period (metric_id, period_start, period_end)
                        select metric_id, 'epoch', now() from throng.metric_layout
                        """, name: "test")
            }
        }
        for await _ in hasBegun.stream {}
        let found = try await BackupStore(backup).snapshot(plans: [], now: saturday) { _ in true }
        #expect(found)
        try await flushed
        // Otherwise they have not met, and this has tried nothing.
        let stats = "select deadlocks from pg_stat_database where datname = current_database()"
        while try await admin.integer(stats) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
}
