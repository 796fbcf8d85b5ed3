import Foundation
import Logging
import Synchronization
import Testing
import ThrongPlan
import ThrongSchedule

@testable import ThrongStore

@Suite("Promise 6: what age should have taken and did not take is said")
struct LateRetentionTests {
    private static let now = UnixSeconds(1_795_500_000)
    private static let hour: Int64 = 3600

    /// A database of which age takes nothing; what is due can be set.
    private final class Stuck: Retention {
        let left = Mutex<[RetentionDue]>([])
        let isAway = Mutex(false)
        let rounds = Mutex(0)
        let destructions = Mutex<[UnixSeconds]>([])
        /// What fails.
        let failing = Mutex<Round?>(nil)
        /// What was done.
        let done = Mutex<[Round]>([])

        private func make(_ round: Round) throws {
            guard failing.withLock({ $0 }) != round else { throw PostgresError.unexpectedAnswer(query: round.rawValue) }
            done.withLock { $0.append(round) }
        }

        func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
            rounds.withLock { $0 += 1 }
            try make(.retention)
            return ExpiryOutcome(cells: 0, partitions: [])
        }

        func rewritePages() async throws { try make(.pages) }

        func destroyKeys(now: UnixSeconds) async throws {
            if isAway.withLock({ $0 }) { throw CancellationError() }
            destructions.withLock { $0.append(now) }
        }

        func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome {
            try make(.copies)
            return .init()
        }

        func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
            if isAway.withLock({ $0 }) { throw CancellationError() }
            try make(.age)
            return RetentionOutlook(due: left.withLock { $0 })
        }
    }

    /// Another daemon has it.
    private struct Taken: ScheduleLease {
        func take(_ name: String, for length: Int) async throws -> Bool { false }
        func release(_ name: String) async throws {}
    }

    /// Keeps errors.
    struct Errors: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    private final class House: Sendable {
        let shop: CountedShop
        let stuck = Stuck()
        let errors = Errors.Lines()
        /// What rounds said.
        let rounds = Errors.Lines()
        let health: ScheduleHealth
        let clock = Mutex(LateRetentionTests.now)
        let lease: (any ScheduleLease)?
        let standing = FlushStanding()

        init(lease: (any ScheduleLease)? = nil) async throws {
            self.lease = lease
            let rounds = rounds
            health = ScheduleHealth(
                rounds: RoundHealth(logger: Logger(label: "test") { _ in Errors(lines: rounds) }))
            shop = try await CountedShop(LateRetentionTests.plan)
        }

        var schedule: ScheduleService {
            let clock = UnixClock { [self] in self.clock.withLock { $0 } }
            let errors = errors
            return ScheduleService(
                plans: [shop.plan], releases: shop.releases,
                reports: ReportScheduler(store: shop.store, rules: .system, folder: "/nowhere"),
                calendar: CalendarStore(shop.store.connection), retention: stuck, standing: standing,
                guarded: ClockGuard(
                    clock: MachineClock(clock), store: DatabaseClock(shop.store.connection), health: health,
                    logger: .silent),
                settlement: Settlement(SettlementStore(shop.store.connection)), lease: lease, health: health,
                clock: clock, interval: .seconds(60), logger: Logger(label: "test") { _ in Errors(lines: errors) })
        }

        func left(_ ages: [(app: AppName, at: UnixSeconds)]) {
            stuck.left.withLock {
                $0 = ages.map { RetentionDue(app: $0.app, metric: "views", term: "delete", at: $0.at, releases: 1) }
            }
        }

        var lines: [String] { errors.all.withLock { $0 } }
        var said: [String] { rounds.all.withLock { $0 } }
    }

    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          views: {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, dimensions: [os], period: day}
        """

    @Test("what is a day and two hours late is counted and logged as an error once an hour, with the worst of it")
    func late() async throws {
        let house = try await House()
        var hour: Int64 = -1
        let schedule = house.schedule
        house.left([("shop", Self.now - 26 * Self.hour), ("former", Self.now + 99 * Self.hour)])
        await schedule.watch(&hour)
        #expect(house.lines.isEmpty && house.health.snapshot.retentionOverdue == ["shop": 0, "former": 0])
        #expect(house.health.snapshot.retentionDeadline == ["shop": Self.now, "former": Self.now + 125 * Self.hour])

        house.left([("shop", Self.now - 27 * Self.hour), ("shop", Self.now - 26 * Self.hour - 1), ("former", Self.now)])
        await schedule.watch(&hour)
        #expect(house.lines.isEmpty, "it was looked in this hour")
        house.clock.withLock { $0 = $0 + Self.hour }
        await schedule.watch(&hour)
        #expect(house.health.snapshot.retentionOverdue == ["shop": 2, "former": 0])
        #expect(house.lines.count == 1)
        let line = try #require(house.lines.first)
        for word in ["still there", "\"steps\": 2", "\"app\": shop", "\"late\": 7200 s"] {
            #expect(line.contains(word), "\(line)")
        }
        await schedule.watch(&hour)
        #expect(house.lines.count == 1)
    }

    @Test(
        "a round that fails keeps no other from being made, is an error in the log, and is made again",
        arguments: [Round.retention, .copies, .pages, .age])
    func failing(round: Round) async throws {
        let house = try await House()
        house.standing.isLevel = true
        // PostgreSQL has no other: any else would not be believed.
        house.clock.withLock { $0 = UnixSeconds(Int64(Date().timeIntervalSince1970)) }
        house.stuck.failing.withLock { $0 = round }
        let schedule = house.schedule
        var progress = ScheduleService.Progress()
        _ = await schedule.round(&progress)
        #expect(house.stuck.done.withLock { $0 } == [.retention, .copies, .pages, .age].filter { $0 != round })
        let rounds = house.health.rounds.snapshot
        #expect(rounds.filter { $0.value.isFailing }.map(\.key) == [round])
        #expect(rounds[round]?.failures == 1)
        #expect(house.said.map { $0.contains("\"round\": \(round.rawValue)") } == [true], "\(house.said)")
        house.stuck.failing.withLock { $0 = nil }
        house.stuck.done.withLock { $0 = [] }
        _ = await schedule.round(&progress)
        #expect(house.stuck.done.withLock { $0.contains(round) })
        #expect(house.health.rounds.snapshot.allSatisfy { !$0.value.isFailing })
    }

    @Test("where nothing is left it is 0, and where PostgreSQL is away what was known gets overdue by itself")
    func away() async throws {
        let house = try await House()
        var hour: Int64 = -1
        let schedule = house.schedule
        await schedule.watch(&hour)
        #expect(house.health.snapshot.retentionDeadline == ["shop": .epoch])
        house.left([("shop", Self.now)])
        hour = -1
        await schedule.watch(&hour)
        house.stuck.isAway.withLock { $0 = true }
        house.clock.withLock { $0 = $0 + 99 * Self.hour }
        let last = hour
        await schedule.watch(&hour)
        #expect(hour == last, "it is asked again")
        #expect(house.health.snapshot.retentionDeadline == ["shop": Self.now + 26 * Self.hour])
    }

    @Test("a daemon beside the one that makes the round looks once an hour after its own keys, and after nothing else")
    func beside() async throws {
        let house = try await House(lease: Taken())
        house.standing.isLevel = true
        // PostgreSQL has no other: any else would not be believed.
        let now = UnixSeconds(Int64(Date().timeIntervalSince1970))
        house.clock.withLock { $0 = now }
        let schedule = house.schedule
        var progress = ScheduleService.Progress()
        for _ in 0..<3 { _ = await schedule.round(&progress) }
        #expect(house.stuck.destructions.withLock { $0 } == [now])
        progress.keysHour -= 1
        house.stuck.isAway.withLock { $0 = true }
        _ = await schedule.round(&progress)
        house.stuck.isAway.withLock { $0 = false }
        for _ in 0..<3 { _ = await schedule.round(&progress) }
        #expect(house.stuck.destructions.withLock { $0 } == [now, now])
        #expect(house.stuck.rounds.withLock { $0 } == 0)
    }
}
