import Dispatch
import Foundation
import Synchronization
import Testing
import ThrongPlan
import ThrongRelease
import ThrongStore

@testable import ThrongDelivery
@testable import ThrongSchedule

@Suite("A release is decided off the connection, and made only on what it was decided on", .serialized)
struct DecisionTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, rollups: [week], period: day}
        """
    private static let due = CountedShop.start(1) + 3 * 3600

    private static func shop() async throws -> CountedShop {
        let shop = try await CountedShop(yaml)
        try await shop.count("views", day: 0, ["ios": .init(events: 400, devices: 90)])
        return shop
    }

    private static func scheduler(
        _ store: ReleaseStore,
        deciding decide: @escaping @Sendable (ReleaseCase, ReleaseOptions) throws -> ReleaseDecision
    ) -> ReleaseScheduler {
        var scheduler = ReleaseScheduler(store: store, rules: .system)
        scheduler.decide = decide
        return scheduler
    }

    /// The total that was released of a day.
    private static func total(_ shop: CountedShop, day: Int = 0) async throws -> [Int64?] {
        try await shop.store.releases(
            app: "shop", metric: "views", periodKind: .day, from: CountedShop.start(day), to: CountedShop.start(day) + 1
        ).map { $0.cell(CellIndex(0), in: .total)?.count }
    }

    /// Stops deciders where they are about to decide, on their own threads, until they may go on.
    private final class Gate: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let open = DispatchSemaphore(value: 0)
        private let timeouts = Atomic(0)
        private let counted = Atomic(0)

        /// How often it was decided.
        var decisions: Int { counted.load(ordering: .relaxed) }
        /// How often nobody let a decider go on in time.
        var missed: Int { timeouts.load(ordering: .relaxed) }

        /// A decider arrives, the first ones to wait for ``pass()``.
        func arrive(waiting: Bool) {
            counted.add(1, ordering: .relaxed)
            begun.signal()
            if waiting, open.wait(timeout: .now() + 600) == .timedOut { timeouts.add(1, ordering: .relaxed) }
        }
        /// Waits until a decider has arrived.
        func arrived() async { await onOwnThread { [begun] in begun.wait() } }
        func pass() { open.signal() }
    }

    @Test("a flush that lands while a release is being decided is in the release; one that comes after it is not")
    func flush() async throws {
        let shop = try await Self.shop()
        let gate = Gate()
        let scheduler = Self.scheduler(shop.store) { release, options in
            gate.arrive(waiting: gate.decisions == 0)
            return try release.decide(options)
        }
        async let made = scheduler.releaseDue(of: shop.plan, now: Self.due)
        await gate.arrived()
        try await shop.count("views", day: 0, ["ios": .init(events: 21, devices: 0)])
        gate.pass()
        #expect(try await made.count == 1)
        #expect(gate.decisions == 2 && gate.missed == 0)
        #expect(try await Self.total(shop) == [421])
        try await shop.count("views", day: 0, ["ios": .init(events: 1000, devices: 0)])
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: Self.due).isEmpty)
        #expect(try await Self.total(shop) == [421])
    }

    @Test("while a release is being decided, the connection is free: questions are answered and a delivery goes out")
    func connection() async throws {
        let shop = try await Self.shop()
        let now = Self.due
        let runs = RunStore(shop.settings)
        let claim = try #require(
            try await runs.claimRun(
                app: "shop", report: "daily", partner: "bank", period: CountedShop.period(-1), now: now))
        _ = try await runs.keep(
            [StoredReportFile(place: 0, name: "a.csv", contents: [1])], of: claim, label: "1",
            deliveries: [.folder("out")], now: now)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-decision-\(UUID().uuidString)"
        let reports = ReportScheduler(store: shop.store, rules: .system, folder: folder)
        let gate = Gate()
        let scheduler = Self.scheduler(shop.store) { release, options in
            gate.arrive(waiting: true)
            return try release.decide(options)
        }
        async let made = scheduler.releaseDue(of: shop.plan, now: now)
        await gate.arrived()
        #expect(try await shop.store.openPeriods(app: "shop").contains { $0.period == CountedShop.period(0) })
        let delivered = Mutex(0)
        try await reports.deliveries.work(
            app: "shop", foldersOnly: true, now: { now },
            over: { outcome in delivered.withLock { $0 += outcome.fault == nil ? 1 : 0 } })
        #expect(delivered.withLock { $0 } == 1)
        gate.pass()
        #expect(try await made.count == 1)
        #expect(gate.missed == 0, "it was answered only after the decision")
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("two schedulers that decide at the same time make one release")
    func atOnce() async throws {
        let shop = try await Self.shop()
        let stores = [ReleaseStore(shop.settings), ReleaseStore(shop.settings)]
        defer { for store in stores { store.close() } }
        let gate = Gate()
        let made = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores {
                let scheduler = Self.scheduler(store) { release, options in
                    gate.arrive(waiting: true)
                    return try release.decide(options)
                }
                group.addTask { try await scheduler.releaseDue(of: shop.plan, now: Self.due).count }
            }
            for _ in stores { await gate.arrived() }
            for _ in stores { gate.pass() }
            return try await group.reduce(0, +)
        }
        #expect(made == 1)
        #expect(gate.decisions == 2 && gate.missed == 0)
        #expect(try await Self.total(shop) == [400])
    }

    @Test("where counters change with every decision, the last one is made while flushes wait, and it ends")
    func restless() async throws {
        let shop = try await Self.shop()
        let flushed = Mutex<[Int: Task<Void, any Error>]>([:])
        let gate = Gate()
        let scheduler = Self.scheduler(shop.store) { release, options in
            gate.arrive(waiting: false)
            let number = gate.decisions
            let done = DispatchSemaphore(value: 0)
            let flush = Task {
                defer { done.signal() }
                try await shop.count("views", day: 0, ["ios": .init(events: 1, devices: 0)])
            }
            flushed.withLock { $0[number] = flush }
            // Under the lock it can't land before the decision is made.
            let limit: DispatchTimeInterval =
                number <= ReleaseScheduler.freeDecisions ? .seconds(600) : .milliseconds(500)
            _ = done.wait(timeout: .now() + limit)
            return try release.decide(options)
        }
        #expect(try await scheduler.releaseDue(of: shop.plan, now: Self.due).count == 1)
        for flush in flushed.withLock({ Array($0.values) }) { try await flush.value }
        #expect(gate.decisions == ReleaseScheduler.freeDecisions + 1)
        // What landed under the free decisions is in it, and what waited for the last one counts later.
        #expect(try await Self.total(shop) == [400 + Int64(ReleaseScheduler.freeDecisions)])
    }
}
