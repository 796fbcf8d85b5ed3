import Foundation
import Synchronization
import TestCluster
import Testing
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongRelease

@testable import ThrongSchedule
@testable import ThrongServer
@testable import ThrongStore

@Suite("A wrong clock takes nothing from the ledger and adds nothing to it")
struct WrongClockTests {
    private static let years: Int64 = 730 * 86_400

    /// The schedule of a shop, on clocks that a test sets. PostgreSQL's is the machine's.
    private final class House: Sendable {
        let settings: ConnectionSettings
        let store: ReleaseStore
        let health = ScheduleHealth()
        let ahead = Mutex<Int64>(0)
        let plan: Plan
        let layout: MetricLayout
        let now: UnixSeconds

        init() async throws {
            settings = try await TestCluster.database()
            store = ReleaseStore(settings)
            now = UnixSeconds(try await Connection(settings).integer("select extract(epoch from now())::bigint"))
            let today = CalendarDate(daysSince1970: now.flooredQuotient(by: 86_400))
            let yaml = """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, grace: 1 hour}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
                dimensions:
                  os: {title: System, field: os, list: [ios, android], partitions: devices}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: \(CalendarDate(daysSince1970: now.flooredQuotient(by: 86_400) + 300)), purpose: product, dimensions: [os],
                    period: hour}
                """
            plan = try Plan(yaml: yaml, file: "plan.yaml", today: today)
            layout = try plan.layout(of: try #require(plan.metrics.first), rules: .system)
        }

        /// Counts four hundred devices, which no noise hides, of an hour, as a daemon that has stopped since.
        func count(hoursAgo: Int64) async throws {
            let counters = CounterStore(settings)
            try await counters.registerLayouts([layout])
            let start = UnixSeconds((now.flooredQuotient(by: 3600) - hoursAgo) * 3600)
            let from = try await counters.attach(daemon: DaemonID(UUID()))
            let flush = Flush(
                after: from, through: from.next, layouts: [layout],
                counters: [
                    CounterDelta(layout: 0, periodStart: start, measure: .count, cell: CellIndex(0), delta: 800)
                ],
                distinct: layout.trackedMargins.map {
                    DistinctDelta(
                        layout: 0, periodStart: start, margin: $0,
                        cell: layout.projection(from: layout.leaf, to: $0)(CellIndex(0)),
                        window: layout.rotation.window(at: start), delta: 400)
                })
            _ = try await counters.flush(flush, now: now)
            try await counters.settle(.left)
        }

        var schedule: ScheduleService { schedule(settling: SettlementStore(store.connection)) }

        func schedule(
            settling: any Settling, patience: Duration = .seconds(1), lease: (any ScheduleLease)? = nil
        ) -> ScheduleService {
            let clock = UnixClock { [self] in now + ahead.withLock { $0 } }
            let standing = FlushStanding()
            standing.isLevel = true
            return ScheduleService(
                plans: [plan], releases: ReleaseScheduler(store: store, rules: .system),
                reports: ReportScheduler(store: store, rules: .system, folder: "/nowhere"),
                calendar: CalendarStore(store.connection),
                retention: RetentionWithKeys(
                    store: RetentionStore(store.connection), folder: "/nowhere",
                    deletions: DeletionStore(store.connection), keys: BackupKeys(dataPath: "/nowhere"), pages: nil),
                standing: standing,
                guarded: ClockGuard(
                    clock: MachineClock(clock, machine: "a", uptime: { 5000 }), store: DatabaseClock(store.connection),
                    health: health, logger: .silent),
                settlement: Settlement(settling, patience: patience), lease: lease, health: health,
                clock: clock, interval: .seconds(60),
                logger: .silent)
        }

        func rows(_ table: String) async throws -> Int64 {
            try await Connection(settings).integer("select count(*) from throng.\(table)")
        }
    }

    @Test("two years ahead nothing is released, deleted or opened; once the clock is right, all goes on")
    func wrongClock() async throws {
        let house = try await House()
        defer { house.store.close() }
        try await house.count(hoursAgo: 4)
        let schedule = house.schedule
        var progress = ScheduleService.Progress()
        await schedule.look(&progress)
        let released = try await house.rows("released_cell")
        #expect(released > 0)
        try await house.count(hoursAgo: 1)
        let open = try await house.rows("open_period")
        house.ahead.withLock { $0 = Self.years }
        for _ in 0..<3 { await schedule.look(&progress) }
        #expect(try await house.rows("released_cell") == released)
        #expect(try await house.rows("open_period") == open)
        #expect(try await house.rows("counter") > 0)
        #expect(house.health.snapshot.isClockDoubted)
        house.ahead.withLock { $0 = 2 * 3600 }
        await schedule.look(&progress)
        #expect(try await house.rows("released_cell") == released, "two hours are too far, too")
        house.ahead.withLock { $0 = 3500 }
        await schedule.look(&progress)
        #expect(!house.health.snapshot.isClockDoubted)
        #expect(house.health.snapshot.releases > 0)
    }

    /// A clock is set while daemons are asked whether PostgreSQL has everything.
    private struct SetMeanwhile: Settling {
        let house: House
        func askToSettle() async throws -> Int64 {
            house.ahead.withLock { $0 = WrongClockTests.years }
            return 1
        }
        func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] { [] }
    }

    @Test("a clock that is set after it was believed releases and deletes nothing either")
    func setMeanwhile() async throws {
        let house = try await House()
        defer { house.store.close() }
        try await house.count(hoursAgo: 4)
        try await house.count(hoursAgo: 0)
        var progress = ScheduleService.Progress()
        await house.schedule(settling: SetMeanwhile(house: house)).look(&progress)
        let hour = UnixSeconds(house.now.flooredQuotient(by: 3600) * 3600)
        let made = try await house.store.releases(
            app: "shop", metric: "views", periodKind: .hour, from: .epoch, to: .max)
        #expect(!made.isEmpty && made.allSatisfy { $0.header.period.start < hour }, "the hour that runs is not over")
        #expect(try await house.rows("counter") > 0)
        #expect(progress.expiredDay == house.now.flooredQuotient(by: 86_400))
    }

    /// A daemon whose flush takes longer than anybody waits.
    private final class Slow: Settling {
        let asked = Mutex<Int64>(0)
        let answered = Mutex<Int64>(0)
        func askToSettle() async throws -> Int64 {
            asked.withLock { asked in
                asked += 1
                return asked
            }
        }
        func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] {
            answered.withLock { $0 } >= asking
                ? [] : [UnsettledDaemon(daemon: DaemonID(UUID()), silence: 0, unheard: 0)]
        }
    }

    @Test("who answers between two looks is not asked once more, and what was due when it was asked is released")
    func slow() async throws {
        let house = try await House()
        defer { house.store.close() }
        try await house.count(hoursAgo: 4)
        let slow = Slow()
        let schedule = house.schedule(settling: slow)
        var progress = ScheduleService.Progress()
        for ahead in [0, 300, Settlement.longestAsking] {
            house.ahead.withLock { $0 = ahead }
            await schedule.look(&progress)
        }
        #expect(try await house.rows("released_cell") == 0 && slow.asked.withLock { $0 } == 1)
        // A PostgreSQL that was set back has forgotten what was asked.
        house.ahead.withLock { $0 = Settlement.longestAsking + 1 }
        await schedule.look(&progress)
        #expect(slow.asked.withLock { $0 } == 2)
        slow.answered.withLock { $0 = 2 }
        await schedule.look(&progress)
        #expect(try await house.rows("released_cell") > 0 && slow.asked.withLock { $0 } == 2)
    }

    private final class Lease: ScheduleLease {
        let isHeld = Mutex(false)
        func take(_ name: String, for length: Int) async throws -> Bool {
            isHeld.withLock { $0 = true }
            return true
        }
        func release(_ name: String) async throws { isHeld.withLock { $0 = false } }
    }

    @Test("who does not know what time it is leaves releases to others")
    func leaseGivenBack() async throws {
        let house = try await House()
        defer { house.store.close() }
        let lease = Lease()
        let schedule = house.schedule(settling: SettlementStore(house.store.connection), lease: lease)
        var progress = ScheduleService.Progress()
        _ = await schedule.round(&progress)
        #expect(lease.isHeld.withLock { $0 })
        house.ahead.withLock { $0 = Self.years }
        _ = await schedule.round(&progress)
        #expect(!lease.isHeld.withLock { $0 })
        house.ahead.withLock { $0 = 0 }
        _ = await schedule.round(&progress)
        #expect(lease.isHeld.withLock { $0 })
    }

    @Test("a daemon that is away holds releases up, but not for longer than events may be late")
    func away() async throws {
        let house = try await House()
        defer { house.store.close() }
        try await house.count(hoursAgo: 4)
        let lost = CounterStore(house.settings)
        _ = try await lost.attach(daemon: DaemonID(UUID()))
        let schedule = house.schedule(settling: SettlementStore(house.store.connection), patience: .zero)
        var progress = ScheduleService.Progress()
        // PostgreSQL's clock goes on meanwhile: this one may fall behind it by an hour, and begins far from that.
        for ahead in stride(from: Int64(-300), to: 3300, by: 300) {
            house.ahead.withLock { $0 = ahead }
            await schedule.look(&progress)
        }
        #expect(try await house.rows("released_cell") == 0)
        try await Connection(house.settings).execute(
            """
            update throng.watermark
            set attached_at = now() - interval '49 hours', advanced_at = now() - interval '49 hours'
            where settled = 0
            """)
        var (fresh, paused, away) = (ScheduleService.Progress(), progress, progress)
        await schedule.look(&fresh)
        #expect(
            try await house.rows("released_cell") == 0, "where all were away, who is back first has heard nobody yet")
        house.ahead.withLock { $0 = 3450 }
        await schedule.look(&paused)
        #expect(try await house.rows("released_cell") == 0, "nor has a machine that stood still")
        for ahead in [Self.years, 3300] {
            house.ahead.withLock { $0 = ahead }
            _ = await schedule.round(&away)
        }
        #expect(try await house.rows("released_cell") == 0, "nor has who could not look meanwhile")
        await schedule.look(&progress)
        #expect(try await house.rows("released_cell") > 0)
    }
}
