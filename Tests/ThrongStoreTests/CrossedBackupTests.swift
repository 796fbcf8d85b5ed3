import Foundation
import TestCluster
import Testing
import ThrongPlan

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("A backup of a cluster and flushes wait for each other without an end to either")
struct CrossedBackupTests {
    @Test("a backup that a flush crosses is begun anew", .timeLimit(.minutes(40)))
    func crossed() async throws {
        let settings = try await TestCluster.database()
        let (admin, flush, backup) = (Connection(settings), Connection(settings), Connection(settings))
        defer { for connection in [admin, flush, backup] { connection.close() } }
        let counters = CounterStore(settings)
        try await counters.registerLayouts([.sample()])
        _ = try await counters.attach(daemon: .new)
        // As if its counters were on nodes: everything else is as it is there.
        try await admin.execute(
            "create or replace function throng.counter_nodes() returns bigint language sql stable as 'select 2'")
        let (hasBegun, goesOn) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let flushed: Void = flush.run { session in
            try session.transaction {
                try session.execute(script: "update throng.watermark set position = 7", name: "test")
                hasBegun.continuation.finish()
                goesOn.wait()
                // The backup has waited for longer, so that PostgreSQL ends it.
                try session.execute(
                    script: """
                        set local deadlock_timeout = '1h';
                        insert into throng.open_period (metric_id, period_start, period_end)
                        select metric_id, 'epoch', now() from throng.metric_layout
                        """, name: "test")
            }
        }
        // Where something fails before it is told to.
        defer { goesOn.signal() }
        for await _ in hasBegun.stream {}
        async let found = BackupStore(backup).snapshot(plans: [], now: saturday) { _ in true }
        let waits =
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        while try await admin.integer(waits) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        goesOn.signal()
        try await flushed
        #expect(try await found)
        // Otherwise they have not met, and this has tried nothing.
        let stats = "select deadlocks from pg_stat_database where datname = current_database()"
        while try await admin.integer(stats) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
}
