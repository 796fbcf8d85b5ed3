import Synchronization
import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongSchedule
@testable import ThrongStore

@Suite("A daemon whose plan is not the one in force releases, reports and deletes nothing")
struct LeaveToOthersTests {
    private static let now = UnixSeconds(1_795_219_200)

    /// All that a schedule works with, and what it did.
    private final class House: DueReleases, DueReports, ReleaseCalendar, Retention, ClockStore, Settling, ScheduleLease
    {
        struct State {
            var isInForce = true
            var hasLease = false
            var deeds: [String] = []
            var due: UnixSeconds? = LeaveToOthersTests.now - 29 * 86_400
            /// Of which app nobody can say what is due.
            var unreadable: AppName?
            /// Another plan comes into force while the first app is released.
            var changesMeanwhile = false
        }
        let state = Mutex(State())

        func releaseDue(
            of plan: Plan, now: UnixSeconds, failed: (ReleaseScheduler.Failure) throws -> Void
        ) async throws -> [ReleaseScheduler.Made] {
            state.withLock { state in
                state.deeds.append("release \(plan.app.name)")
                if state.changesMeanwhile { state.isInForce = false }
            }
            return []
        }
        func keepCalendar(of plan: Plan, now: UnixSeconds) async throws { note("calendar \(plan.app.name)") }
        func giveUpRollups(of plan: Plan) async throws {}
        func deliverDue(
            of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void
        ) async throws -> Int {
            note("report \(plan.app.name)")
            return 0
        }
        func firstDue(of plan: Plan) async throws -> UnixSeconds? {
            if plan.app.name == state.withLock({ $0.unreadable }) { throw ScheduleUnreadable() }
            return state.withLock { $0.due }
        }
        func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
            note("expire")
            return ExpiryOutcome(cells: 0, partitions: [])
        }
        func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome {
            CopyRetention.Outcome()
        }
        func outlook(_ plans: [Plan]) async throws -> RetentionOutlook { RetentionOutlook(due: []) }
        func clock() async throws -> StoredClock { StoredClock(database: LeaveToOthersTests.now, believed: nil) }
        func believe(_ time: StoredClock.Believed) async throws {}
        func confirm(_ time: StoredClock.Believed) async throws {}
        func askToSettle() async throws -> Int64 { 1 }
        func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] { [] }
        func take(_ name: String, for length: Int) async throws -> Bool {
            state.withLock { $0.hasLease = true }
            return true
        }
        func release(_ name: String) async throws { state.withLock { $0.hasLease = false } }

        private func note(_ deed: String) { state.withLock { $0.deeds.append(deed) } }

        func takeDeeds() -> [String] {
            state.withLock { state in
                defer { state.deeds = [] }
                return state.deeds
            }
        }
    }

    private struct ScheduleUnreadable: Error {}

    private static func plan(_ app: String) throws -> Plan {
        try CountedShop.plan(
            """
            app: {name: \(app), title: Shop, owner: Team, contact: a@example.com, audience: 100}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
            dimensions:
              os: {title: System, field: os, list: [ios, android], partitions: devices}
            metrics:
              views: {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
                purpose: product, dimensions: [os], period: day}
            """)
    }

    private let house = House()
    private let calendars = ["calendar shop", "calendar kiosk"]
    private let health = ScheduleHealth()

    private func schedule() throws -> ScheduleService {
        let clock = UnixClock { Self.now }
        let standing = FlushStanding()
        standing.isLevel = true
        return ScheduleService(
            plans: [try Self.plan("shop"), try Self.plan("kiosk")], releases: house, reports: house, calendar: house,
            retention: house, standing: standing,
            guarded: ClockGuard(
                clock: MachineClock(clock, machine: "a", uptime: { 5000 }), store: house, health: health,
                logger: .silent),
            settlement: Settlement(house), lease: house,
            isInForce: { [house] in house.state.withLock { $0.isInForce } }, health: health, clock: clock,
            interval: .seconds(60), logger: .silent)
    }

    @Test("it does not take the lease, gives it back where it had it, and only opens periods by the clock")
    func behind() async throws {
        let schedule = try schedule()
        var progress = ScheduleService.Progress()
        _ = await schedule.round(&progress)
        #expect(house.state.withLock { $0.hasLease })
        #expect(
            house.takeDeeds() == calendars + ["release shop", "report shop", "release kiosk", "report kiosk", "expire"])
        #expect(health.snapshot.releaseDue.keys.sorted() == ["kiosk", "shop"])

        house.state.withLock { $0.isInForce = false }
        _ = await schedule.round(&progress)
        #expect(!house.state.withLock { $0.hasLease })
        #expect(house.takeDeeds() == calendars)
        #expect(health.snapshot.releaseDue.isEmpty, "what it knew is others' to say now")

        house.state.withLock { $0.isInForce = true }
        _ = await schedule.round(&progress)
        #expect(house.state.withLock { $0.hasLease })
        #expect(house.takeDeeds()[2] == "release shop")
    }

    @Test(
        "where nothing is due nothing is released without daemons being asked; an app that can't be read stops no other"
    )
    func asking() async throws {
        let schedule = try schedule()
        var progress = ScheduleService.Progress()
        house.state.withLock { $0.due = nil }
        _ = await schedule.round(&progress)
        #expect(house.takeDeeds() == calendars + ["report shop", "report kiosk", "expire"])
        house.state.withLock { $0.unreadable = "shop" }
        _ = await schedule.round(&progress)
        #expect(house.takeDeeds() == calendars + ["release shop", "report shop", "release kiosk", "report kiosk"])
    }

    @Test("a plan that comes into force in the middle of a round ends it")
    func meanwhile() async throws {
        house.state.withLock { $0.changesMeanwhile = true }
        var progress = ScheduleService.Progress()
        _ = await (try schedule()).round(&progress)
        #expect(house.takeDeeds() == calendars + ["release shop", "report shop"])
    }
}
