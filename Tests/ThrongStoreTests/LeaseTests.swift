import Glibc
import Synchronization
import TestCluster
import Testing
import ThrongIngest

@testable import ThrongStore

@Suite("Promise 3: a daemon's place is taken only when its holder can acknowledge no more")
struct LeaseTests {
    @Test("who waits is heard and waits anew, comes no further while the holder flushes, and then has the place")
    func claimed() async throws {
        let settings = try await TestCluster.database()
        let daemon = DaemonID.new
        let holder = CounterStore(settings)
        let successor = CounterStore(settings)
        _ = try await holder.attach(daemon: daemon, replacing: nil, fence: 1000, holder: "boot 1 2")
        let known = try #require(await successor.watermark(of: daemon))
        #expect(known.holder == "boot 1 2" && known.claim == nil)
        #expect(try await holder.hearClaim() == .nobody)

        #expect(try await successor.claim(daemon: daemon, from: known, fence: 2000))
        #expect(try await holder.hearClaim() == .heard)
        #expect(try await holder.hearClaim() == .heard)
        #expect(try await successor.watermark(of: daemon)?.claim == -2000)
        #expect(try await successor.watermark(of: daemon)?.claimed == 2000)
        // It says so again, and nobody who comes under a lower fence goes before it.
        #expect(try await successor.claim(daemon: daemon, from: known, fence: 2000))
        #expect(try await !successor.claim(daemon: daemon, from: known, fence: 1500))
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await CounterStore(settings).attach(daemon: daemon, replacing: known, fence: 1500)
        }

        // A flush holds the row: that is a sign of life, and nobody waits for it in line.
        let (held, holds) = AsyncStream<Void>.makeStream()
        let over = Atomic(false)
        defer { over.store(true, ordering: .releasing) }
        let flush = Connection(settings)
        let holding = Task {
            try await flush.run { session in
                try session.transaction {
                    try session.query("test.hold", "select from throng.watermark for update")
                    holds.finish()
                    while !over.load(ordering: .acquiring) { usleep(10_000) }
                }
            }
        }
        for await _ in held {}
        let claimed = try await successor.claim(daemon: daemon, from: known, fence: 2000)
        let heard = try await holder.hearClaim()
        over.store(true, ordering: .releasing)
        #expect(!claimed && heard == .unheard)
        try await holding.value
        #expect(try await successor.claim(daemon: daemon, from: known, fence: 2000))

        // Whoever has waited takes it from one that was not heard of since: neither has it heard, nor has it flushed.
        #expect(try await holder.hearClaim() == .heard)
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await successor.attach(daemon: daemon, replacing: known, fence: 2000, hasWaited: true)
        }
        #expect(try await successor.claim(daemon: daemon, from: known, fence: 2000))
        let former = Watermark(position: JournalPosition(9), fence: 1000, holder: "boot 1 2")
        await #expect(throws: StoreError.fenced(daemon: daemon)) {
            try await successor.attach(daemon: daemon, replacing: former, fence: 2000, hasWaited: true)
        }

        try await holder.release()
        #expect(try await successor.watermark(of: daemon)?.holder == nil)
        let found = try await successor.attach(
            daemon: daemon, replacing: known, fence: 2000, holder: "boot 1 3", hasWaited: true)
        #expect(found == .start)
        #expect(try await successor.watermark(of: daemon)?.claim == nil)
        await #expect(throws: StoreError.fenced(daemon: daemon)) { try await holder.hearClaim() }
    }
}
