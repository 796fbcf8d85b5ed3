import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

/// What the device's battery pays for: each end of a sleep wakes it.
@Suite("What can't be proved now wakes nobody", .timeLimit(.minutes(40)))
struct RestingTests {
    private static let hour: Int64 = 3600

    /// A device that sends by itself, at noon of the first Monday.
    private struct House {
        let clock = StandingClock(CookPlan.monday + 12 * 3600)
        let daemon: Daemon
        let line: Line
        let throng: Throng

        init(_ yaml: String, _ source: ProvingSource) async throws {
            let cook = try CookPlan(yaml)
            daemon = try Daemon(cook)
            line = Line(daemon, clock: clock)
            var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
            options.gap = 0
            options.identifiers = source
            throng = try await Throng(
                plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: line, clock: clock,
                random: .seeded(7), options: options)
            try await throng.setConsent(.authorized, for: "product")
        }
    }

    @Test("a credential that is due and that nothing allowed needs wakes nobody, and who agrees again gets it")
    func credential() async throws {
        let noon = CookPlan.monday + 12 * 3600
        let source = ProvingSource { _ in (noon + Self.hour).value }
        let house = try await House(CookPlan.proving, source)
        while source.renewed == 0 { try await house.clock.wake() }
        try await house.throng.setConsent(.denied, for: "product")
        // Due after an hour.
        #expect(try await house.clock.wakes(in: 6 * Self.hour, most: 100) < 30)
        #expect(source.renewed == 1)
        try await house.throng.setConsent(.authorized, for: "product")
        while source.renewed == 1 { try await house.clock.wake() }
        await house.throng.close()
    }

    @Test("a source that always wants to ask at once asks once a minute")
    func hasty() async throws {
        let source = ProvingSource { _ in 0 }
        let house = try await House(CookPlan.proving, source)
        while source.renewed == 0 { try await house.clock.wake() }
        let wakes = try await house.clock.wakes(in: 2 * Self.hour, most: 1000)
        #expect(wakes < 180 && source.renewed > 100 && source.renewed <= 122)
        await house.throng.close()
    }

    @Test("a first whose metric asks for none any more is looked at each hour, until long after its period")
    func withoutMetric() async throws {
        // The clock goes on while events are on their way.
        let source = ProvingSource(hasFirsts: false)
        let house = try await House(CookPlan.proving, source)
        house.throng.record("recipe_opened", ["category": "cake"])
        while house.daemon.total("recipes") == 0 { try await house.clock.wake() }
        let later = CookPlan.proving.replacing("measures: {reach: attested}", with: "measures: {reach: true}")
        house.daemon.publish(try CookPlan(later).document)
        #expect(await house.throng.refreshPlan())
        source.hasFirsts.withLock { $0 = true }
        // Two cells of a day, two of its week and two of its month.
        let first = try await house.clock.wakes(in: 6 * Self.hour, most: 1000)
        #expect(first < 60)
        // The day's and the week's are forgotten, and the month's are not.
        _ = try await house.clock.wakes(in: 14 * CookPlan.day, most: 20_000)
        #expect(try await house.clock.wakes(in: 6 * Self.hour, most: 1000) < first)
        _ = try await house.clock.wakes(in: 21 * CookPlan.day, most: 20_000)
        #expect(try await house.clock.wakes(in: 6 * Self.hour, most: 1000) < 30)
        #expect(try house.line.firsts.isEmpty)
        await house.throng.close()
    }

    @Test("a first without a credential is looked at each hour, and goes once there is one")
    func withoutCredential() async throws {
        let source = ProvingSource(hasFirsts: false)
        let house = try await House(CookPlan.proving, source)
        house.throng.record("recipe_opened", ["category": "cake"])
        while house.daemon.total("recipes") == 0 { try await house.clock.wake() }
        #expect(try await house.clock.wakes(in: 6 * Self.hour, most: 1000) < 60)
        #expect(try house.line.firsts.isEmpty)
        source.hasFirsts.withLock { $0 = true }
        while try house.line.firsts.isEmpty { try await house.clock.wake() }
        await house.throng.close()
    }
}
