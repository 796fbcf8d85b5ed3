import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("A clock that is wrong loses nothing")
struct ClockTests {
    /// A device with a clock of its own, under the plan with windows of a day and of a quarter of an hour.
    private struct Skewed {
        let right = TestClock(CookPlan.monday + 12 * 3600)
        let wrong: TestClock
        let daemon: Daemon
        let line: Line
        let throng: Throng

        init(by seconds: Int64, bundles: Bool = true, storage: MemoryStorage = MemoryStorage()) async throws {
            let cook = try CookPlan()
            wrong = TestClock(UnixSeconds(right.unixSeconds) + seconds)
            daemon = try Daemon(cook)
            line = Line(daemon, clock: right)
            var options = ThrongOptions(context: ["os": "ios"], bundledPlan: bundles ? cook.document : nil)
            options.sendsByItself = false
            options.gap = 0
            // Such that the purpose with the shorter windows goes first: by it the device learns what time it is.
            let random = RandomSource.seeded(3)
            for _ in 0..<4 { _ = random.next() }
            throng = try await Throng(
                plan: try #require(CookPlan.url), storage: storage, transport: line, clock: wrong, random: random,
                options: options)
            try await throng.setConsent(.authorized, for: "product")
        }

        func advance(_ seconds: Int64) {
            right.advance(seconds)
            wrong.advance(seconds)
        }
    }

    @Test(
        "events of a device that is minutes to decades off count, in the day in which they happened",
        arguments: [
            -1_793_000_000, -3 * 86_400, -86_400, -7200, -600, 600, 7200, 40_000, 86_400, 3 * 86_400, 300 * 86_400,
        ])
    func counts(seconds: Int64) async throws {
        let device = try await Skewed(by: seconds)
        device.throng.record("recipe_opened", ["category": "cake"])
        device.throng.record("arrival", ["campaign": "spring"])
        #expect(await device.throng.flush().waiting == 0)
        device.advance(3600)
        device.throng.record("recipe_opened", ["category": "cake"])
        device.throng.record("arrival", ["campaign": "spring"])
        _ = await device.throng.flush()
        #expect(device.daemon.cells.filter { $0.key.period == "2026-11-02" }.values.sorted() == [2, 2])
        #expect(await device.throng.status.dropped.isEmpty)
        #expect(device.daemon.firsts.values.allSatisfy { $0 == 1 })
    }

    @Test("a device that asks for the plan first is refused nothing")
    func first() async throws {
        let device = try await Skewed(by: -5 * 86_400, bundles: false)
        device.throng.record("arrival", ["campaign": "spring"])
        #expect(await device.throng.flush().counted == 1)
        #expect(device.daemon.refusals.isEmpty)
    }

    @Test("a clock that is put right is followed again")
    func putRight() async throws {
        let device = try await Skewed(by: 5 * 86_400)
        device.throng.record("arrival", ["campaign": "spring"])
        #expect(await device.throng.flush().counted == 1)
        device.right.advance(7200)
        device.wrong.set(UnixSeconds(device.right.unixSeconds))
        device.throng.record("arrival", ["campaign": "spring"])
        #expect(await device.throng.flush().counted == 1)
        #expect(await device.throng.status.dropped.isEmpty)
    }

    @Test("a daemon whose clock stands still does not see an identifier again, and stops nobody")
    func frozen() async throws {
        let device = try await Skewed(by: 0)
        var identifiers: Set<String> = []
        for _ in 0..<5 {
            device.throng.record("arrival", ["campaign": "spring"])
            _ = await device.throng.flush()
            identifiers.formUnion(device.daemon.batches.compactMap(\.id))
            // Time goes by for the device alone.
            device.wrong.advance(CookPlan.day)
        }
        #expect(identifiers.count == 5)
        #expect(device.daemon.batches.count == 5)
    }

    @Test(
        "a correction moves a weekly answer to when it may have happened, and never into the future", arguments: 1...6)
    func weeklyAnswer(days: Int64) async throws {
        let cook = try CookPlan(CookPlan.asking)
        let right = TestClock(CookPlan.monday + 6 * CookPlan.day + 12 * 3600)
        let wrong = TestClock(UnixSeconds(right.unixSeconds) - days * CookPlan.day)
        let daemon = try Daemon(cook)
        let line = Line(daemon, clock: right, weather: .offline)
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: line, clock: wrong,
            random: .seeded(3), options: options)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        _ = await throng.flush()
        line.set(.fine)
        #expect(await throng.refreshPlan())
        #expect(await throng.flush().waiting == 0)
        #expect(daemon.refusals.isEmpty)
        #expect(daemon.cells.filter { $0.key.metric == "returns" }.keys.map(\.period) == ["2026-W45"])
    }
}
