import TestCluster
import Testing
import ThrongServer
import ThrongStore
import ThrongSystem
import ThrongWire

@testable import ThrongSchedule

@Suite("Nothing that can't be taken back is done by a clock that is not believed")
struct ClockTrustTests {
    private static let noon = UnixSeconds(1_795_262_400)
    private static let years: Int64 = 730 * 86_400

    private static func reading(_ time: UnixSeconds, up: Int64, machine: String = "a", database: UnixSeconds? = nil)
        -> ClockReading
    {
        ClockReading(time: time, machine: machine, uptime: up, database: database)
    }

    /// Believed at noon, by a machine that had run for a thousand seconds.
    private static func believing() -> ClockTrust {
        var trust = ClockTrust()
        _ = trust.look(reading(noon, up: 1000), stored: nil)
        return trust
    }

    @Test("a clock that jumps while a process runs is doubted with both times, and believed once it is right again")
    func jump() {
        var trust = Self.believing()
        let jumped = ClockDoubt.jumped(here: Self.noon + Self.years, expected: Self.noon + 30)
        #expect(trust.look(Self.reading(Self.noon + Self.years, up: 1030), stored: nil) == jumped)
        #expect(trust.doubt == jumped)
        #expect(trust.believed?.time == Self.noon)
        #expect(jumped.description.contains("2028-11-20"))
        #expect(jumped.description.contains("2026-11-21T12:00:30Z"))
        // It does not become true by lasting.
        #expect(trust.look(Self.reading(Self.noon + Self.years + 7200, up: 8230), stored: nil) != nil)
        #expect(trust.look(Self.reading(Self.noon + 9000, up: 10_000), stored: nil) == nil)
        #expect(trust.doubt == nil)
        #expect(
            trust.judge(Self.reading(Self.noon - 86_400, up: 10_001)) != nil, "also between two looks, and backwards")
    }

    @Test("an hour is no jump, one second more is; also apart from PostgreSQL", arguments: [-1, 1] as [Int64])
    func bounds(sign: Int64) {
        let trust = Self.believing()
        #expect(trust.judge(Self.reading(Self.noon + sign * 3600, up: 1000)) == nil)
        #expect(trust.judge(Self.reading(Self.noon + sign * 3601, up: 1000)) != nil)
        let database = Self.noon + sign * 3601
        #expect(
            trust.judge(Self.reading(Self.noon, up: 1000, database: database))
                == .apart(here: Self.noon, database: database))
        #expect(trust.judge(Self.reading(Self.noon, up: 1000, database: Self.noon + sign * 3600)) == nil)
        #expect(trust.judge(Self.reading(.max, up: 1000, database: .min)) != nil)
    }

    @Test(
        "a process that starts goes by what was written down: passed time on the same machine, four days after another start"
    )
    func starts() {
        let stored = StoredClock.Believed(time: Self.noon, machine: "a", uptime: 1000)
        func first(_ reading: ClockReading) -> ClockDoubt? {
            var trust = ClockTrust()
            return trust.look(reading, stored: stored)
        }
        let month: Int64 = 30 * 86_400
        #expect(first(Self.reading(Self.noon + month, up: 1000 + month)) == nil, "a process that was off for a month")
        #expect(first(Self.reading(Self.noon + Self.years, up: 1020)) != nil)
        #expect(first(Self.reading(Self.noon + 3 * 86_400, up: 40, machine: "b")) == nil)
        #expect(
            first(Self.reading(Self.noon + month, up: 40, machine: "b"))
                == .ahead(here: Self.noon + month, believed: Self.noon),
            "a machine that was off for a month, or a wrong clock")
        #expect(
            first(Self.reading(Self.noon - 7200, up: 40, machine: "b"))
                == .back(here: Self.noon - 7200, believed: Self.noon))
        var fresh = ClockTrust()
        #expect(fresh.look(Self.reading(Self.noon, up: 1), stored: nil) == nil, "a new house has nothing to lose")
    }

    @Test("an operator's word is heard by a process that doubts, and no later than that it goes on from there")
    func confirmation() {
        var trust = Self.believing()
        let later = Self.noon + Self.years
        #expect(trust.look(Self.reading(later, up: 1030), stored: nil) != nil)
        let stale = StoredClock.Believed(time: Self.noon, machine: "a", uptime: 1000)
        #expect(trust.look(Self.reading(later + 1, up: 1031), stored: stale) != nil)
        let confirmed = StoredClock.Believed(time: later + 2, machine: "a", uptime: 1032, confirmations: 1)
        #expect(trust.look(Self.reading(later + 3, up: 1033), stored: confirmed) == nil)
        #expect(trust.look(Self.reading(Self.noon + 4, up: 1034), stored: confirmed) != nil)
    }

    @Test("switched off, the mend lets a clock of two years ahead act")
    func fault() {
        let trust = Self.believing()
        let wrong = Self.reading(Self.noon + Self.years, up: 1030)
        #expect(trust.judge(wrong) != nil)
        #if DEBUG
            #expect(Fault.with([.trustClock]) { trust.judge(wrong) } == nil)
        #endif
    }

    @Test(
        "what is believed is kept in the database and only raised; a word starts anew, unless PostgreSQL knows better")
    func kept() async throws {
        let store = DatabaseClock(try await TestCluster.database())
        defer { store.close() }
        let now = try await store.clock().database
        #expect(try await store.clock().believed == nil)
        func house(_ ahead: Int64, up: Int64) -> MachineClock {
            MachineClock(UnixClock { now + ahead }, machine: "a", uptime: { up })
        }
        #expect(try await house(0, up: 500).look(store) == nil)
        #expect(try await store.clock().believed?.time == now)
        // Another process of the same machine, whose PostgreSQL has the same wrong clock, is caught by the uptime alone.
        #expect(try await house(-1800, up: 500).look(store) == nil)
        #expect(try await store.clock().believed?.time == now, "the latest")
        let wrong = try #require(try await house(Self.years, up: 530).look(store))
        guard case .apart(now + Self.years, _) = wrong else { throw wrong }
        await #expect(throws: ClockDoubt.self) { try await house(Self.years, up: 530).confirm(store) }
        try await house(-1800, up: 600).confirm(store)
        let believed = try #require(try await store.clock().believed)
        #expect(believed.time == now - 1800)
        #expect(believed.confirmations == 1)
        try await store.believe(.init(time: now + 60, machine: "a", uptime: 700, confirmations: 0))
        #expect(
            try await store.clock().believed?.time == now - 1800, "who has not heard of the word does not overrule it")
    }
}
