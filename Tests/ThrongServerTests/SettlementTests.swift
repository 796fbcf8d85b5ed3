import Foundation
import Synchronization
import TestCluster
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongServer
import ThrongStore

@Suite("A release waits for what daemons have acknowledged")
struct SettlementTests {
    private static let now = UnixSeconds(1_800_000_000)
    /// How long a test itself may take, less than what it tells apart. Unit: seconds.
    private static let taken: Int64 = 43_200

    @Test("every daemon has to answer an asking that came after what it answered last; one that has left need not")
    func answers() async throws {
        let settings = try await TestCluster.database()
        let store = SettlementStore(settings)
        defer { store.close() }
        let barrier = Settlement(store, patience: .zero)
        let (one, two) = (DaemonID(UUID()), DaemonID(UUID()))
        let (first, second) = (CounterStore(settings), CounterStore(settings))
        func silent(at now: UnixSeconds = Self.now, without: Set<DaemonID> = []) async throws -> Set<DaemonID> {
            Set(try await barrier.silent(barrier.ask(at: now), without: without).map(\.daemon))
        }
        #expect(try await silent().isEmpty, "there is no daemon")
        _ = try await first.attach(daemon: one)
        _ = try await second.attach(daemon: two)
        #expect(try await silent() == [one, two])
        let asking = try await first.lastAsking()
        try await first.settle(asking)
        try await second.settle(asking)
        #expect(try await store.unsettled(asking.number, at: Self.now).isEmpty)
        #expect(try await silent() == [one, two], "a later asking is about what came later")
        #expect(try await silent(without: [two]) == [one])
        try await first.settle(.left)
        #expect(try await silent() == [two])
        try await second.settle(.left(owing: Self.now + 60))
        #expect(try await silent().isEmpty)
        #expect(
            try await silent(at: Self.now + 60) == [two], "windows are over that were open when it stopped")
        let days = UnixSeconds(Int64(Date.now.timeIntervalSince1970)) - 5 * 86_400
        _ = try await second.attach(daemon: two)
        try await second.settle(.left(owing: days))
        let owner = Connection(settings)
        defer { owner.close() }
        func longAgo() async throws {
            try await owner.run { session in
                try session.execute(
                    script: """
                        update throng.watermark
                        set settled_at = settled_at - interval '9 days', attached_at = attached_at - interval '9 days',
                            advanced_at = advanced_at - interval '9 days'
                        """, name: "test")
            }
        }
        try await longAgo()
        let silence = try await barrier.silent(barrier.ask(at: Self.now), without: [one]).map(\.silence).first ?? 0
        #expect(
            (5 * 86_400...5 * 86_400 + Self.taken).contains(silence),
            "since its windows are over, not since it stopped")
        // Of windows of several lengths the last one counts, whether it was stopped or killed while they were open.
        for asking in [Asking(number: 1, read: .epoch), .left(owing: days - 3 * 86_400)] {
            _ = try await second.attach(daemon: two)
            try await second.settle(asking, owing: days - 2 * 86_400)
            try await longAgo()
            let since = try await barrier.silent(barrier.ask(at: Self.now), without: [one]).map(\.silence).first ?? 0
            #expect((7 * 86_400...7 * 86_400 + Self.taken).contains(since), "\(asking.number)")
        }
        // No window is open for longer than three days: a clock that was years ahead holds nothing up for years.
        _ = try await second.attach(daemon: two)
        try await second.settle(Asking(number: 1, read: .epoch), owing: days + 365 * 86_400)
        try await longAgo()
        let far = try #require(try await barrier.silent(barrier.ask(at: Self.now), without: [one]).first)
        #expect(
            (6 * 86_400...6 * 86_400 + Self.taken).contains(far.silence)
                && (9 * 86_400...9 * 86_400 + Self.taken).contains(far.unheard))
        try await second.settle(.left(owing: Self.now + 60))
        _ = try await first.attach(daemon: one)
        #expect(try await silent() == [one], "whoever is back may hold something again")
        _ = try await second.attach(daemon: two)
        try await first.settle(.left)
        try await second.settle(.left)
        #expect(try await silent(at: Self.now + 60).isEmpty, "it was back")
    }

    @Test("a PostgreSQL that was set back waits for those of whom only others told it that they count")
    func recalled() async throws {
        let settings = try await TestCluster.database()
        let store = SettlementStore(settings)
        defer { store.close() }
        let barrier = Settlement(store, patience: .zero)
        let (one, two) = (DaemonID(UUID()), DaemonID(UUID()))
        let (first, second) = (CounterStore(settings), CounterStore(settings))
        _ = try await first.attach(daemon: one)
        try await first.settle(.left)
        let owner = Connection(settings)
        defer { owner.close() }
        try await owner.execute(
            """
            select throng.recall_epoch(
                9, 0, array_fill('\(one)'::uuid, array[128]) || array_fill('\(two)'::uuid, array[128]), null, false)
            """)
        #expect(try await barrier.silent(barrier.ask(at: Self.now)).map(\.daemon) == [two])
        _ = try await second.attach(daemon: two)
        #expect(try await barrier.silent(barrier.ask(at: Self.now)).map(\.daemon) == [two], "it may have kept flushes")
        try await second.settle(.left)
        #expect(try await barrier.silent(barrier.ask(at: Self.now)).isEmpty)
    }

    @Test("an answer that comes while a release waits lets it go on")
    func waits() async throws {
        let settings = try await TestCluster.database()
        let store = SettlementStore(settings)
        defer { store.close() }
        let counters = CounterStore(settings)
        _ = try await counters.attach(daemon: DaemonID(UUID()))
        let before = try await counters.lastAsking()
        let told = Mutex(0)
        let answer = Task {
            while told.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
            let asking = try await counters.lastAsking()
            #expect(asking.number > before.number)
            try await counters.settle(asking)
        }
        let barrier = Settlement(store, patience: .seconds(600))
        let silent = try await barrier.silent(barrier.ask(at: Self.now)) { _ in
            told.withLock { $0 += 1 }
        }
        #expect(silent.isEmpty)
        #expect(told.withLock { $0 } == 1)
        try await answer.value
    }

    @Test("a process that was replaced can't answer for the one that took its place")
    func fenced() async throws {
        let settings = try await TestCluster.database()
        let store = SettlementStore(settings)
        defer { store.close() }
        let daemon = DaemonID(UUID())
        let (older, newer) = (CounterStore(settings), CounterStore(settings))
        _ = try await older.attach(daemon: daemon)
        _ = try await newer.attach(daemon: daemon)
        try await older.settle(.left)
        let barrier = Settlement(store, patience: .zero)
        #expect(try await barrier.silent(barrier.ask(at: Self.now)).map(\.daemon) == [daemon])
    }
}
