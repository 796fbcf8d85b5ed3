import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("A device marks its first contributions, and answers about itself")
struct FirstsTests {
    private static let all = [[], ["os"], ["os", "category"]]

    @Test("a first is marked once for each period and grouping")
    func once() async throws {
        let world = try await World()
        let groupings = { (day: Int, category: String) async -> [String: [[String]]] in
            world.clock.set(CookPlan.monday + Int64(day) * CookPlan.day + 40_000)
            let before = world.daemon.batches.count
            world.throng.record("recipe_opened", ["category": category])
            _ = await world.throng.flush()
            let firsts = world.daemon.batches[before...].first?.events.first?.firsts ?? [:]
            return firsts.values.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        let all = Self.all
        #expect(await groupings(0, "cake") == ["day": all, "week": all, "month": all])
        #expect(await groupings(0, "cake") == [:])
        let finest = [["os", "category"]]
        #expect(await groupings(0, "roast") == ["day": finest, "week": finest, "month": finest])
        #expect(await groupings(1, "cake") == ["day": all])
        #expect(await groupings(7, "ice") == ["day": all, "week": all])
        // The first of December is a Tuesday.
        #expect(await groupings(29, "stew") == ["day": all, "week": all, "month": all])
    }

    @Test("a first that the daemon refused, or that surely never arrived, is marked again")
    func again() async throws {
        let world = try await World()
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let refusal = #"{"accepted":0,"refused":[{"index":0,"reason":"partition_conflict"}]}"#
        world.line.set(.answer(ClientResponse(status: 202, body: .init(refusal.utf8))))
        #expect(await world.throng.flush().refused == 1)
        world.line.set(.fine)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        #expect(world.daemon.batches.last?.events[0].firsts?["recipes"]?["day"] == Self.all)
        #expect(!world.daemon.firsts.isEmpty && world.daemon.firsts.values.allSatisfy { $0 == 1 })
    }

    @Test("a first that may have been counted is never marked again")
    func maybe() async throws {
        let world = try await World()
        world.line.set(.answerLost)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        world.clock.advance(2 * CookPlan.day)
        world.line.set(.fine)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        #expect(world.daemon.batches.last?.events[0].firsts?["recipes"]?.keys.sorted() == ["day"])
        #expect(!world.daemon.firsts.isEmpty && world.daemon.firsts.values.allSatisfy { $0 == 1 })
    }

    /// Records so many recipes on a day, sends them, and says what was answered so far: by metric, week and answer.
    private func open(_ recipes: Int, on day: Int, in world: World, sends: Bool = true) async -> [String: Int64] {
        world.clock.set(CookPlan.monday + Int64(day) * CookPlan.day + 40_000)
        for _ in 0..<recipes { world.throng.record("recipe_opened", ["category": "cake"]) }
        if sends { _ = await world.throng.flush() } else { await world.throng.save() }
        let answers = world.daemon.cells.filter { ["returns", "weekly_use"].contains($0.key.metric) }
        return Dictionary(
            answers.map { ("\($0.metric) \($0.period) \($0.labels[0])", $1) }, uniquingKeysWith: { $1 })
    }

    @Test("each week after the first is answered once, by its first event; how often, once it is over")
    func answers() async throws {
        let world = try await World(CookPlan(CookPlan.asking))
        let first = ["returns 2026-W45 0": Int64(1)]
        #expect(await open(1, on: 2, in: world) == first)
        #expect(await open(6, on: 6, in: world) == first)
        // Week 1 passes without a recipe, but the app is open.
        let second = first.merging(["weekly_use 2026-W46 5-10": 1]) { $1 }
        #expect(await open(0, on: 9, in: world) == second)
        let third = second.merging(["returns 2026-W47 2": 1]) { $1 }
        #expect(await open(2, on: 15, in: world) == third)
        #expect(await open(0, on: 16, in: world) == third)
        #expect(await open(0, on: 21, in: world) == third.merging(["weekly_use 2026-W48 2-5": 1]) { $1 })
    }

    @Test("a device that is back for one recipe and never again has answered that it was")
    func leaver() async throws {
        let world = try await World(CookPlan(CookPlan.asking))
        _ = await open(1, on: 0, in: world)
        #expect(
            await open(1, on: 9, in: world) == [
                "returns 2026-W45 0": 1, "weekly_use 2026-W46 <2": 1, "returns 2026-W46 1": 1,
            ])
    }

    @Test("the answer of a Monday offline counts in its week when the line is back on Sunday, or two days after")
    func offlineWeek() async throws {
        for (day, answers) in [(6, 1), (8, 1), (9, 0)] {
            let world = try await World(CookPlan(CookPlan.asking))
            _ = await open(1, on: 0, in: world, sends: false)
            let found = await open(0, on: day, in: world)
            #expect(found["returns 2026-W45 0"] ?? 0 == answers)
            #expect(world.daemon.refusals.isEmpty)
        }
    }

    @Test("a clock that goes back and forth answers no week twice, and one that was ahead begins again")
    func clock() async throws {
        let world = try await World(CookPlan(CookPlan.asking))
        _ = await open(1, on: 9, in: world)
        _ = await open(1, on: 16, in: world)
        _ = await open(1, on: 10, in: world)
        #expect(
            await open(1, on: 17, in: world).filter { $0.key.hasPrefix("returns") }
                == ["returns 2026-W46 0": 1, "returns 2026-W47 1": 1])
        #expect(await open(1, on: 3, in: world)["returns 2026-W45 0"] == 1)
    }

    @Test("without consent nothing is noted that could be answered later")
    func noConsent() async throws {
        let world = try await World(CookPlan(CookPlan.asking), consents: false)
        world.throng.record("recipe_opened", ["category": "cake"])
        try await world.throng.setConsent(.authorized, for: "product")
        world.clock.advance(8 * CookPlan.day)
        _ = await world.throng.flush()
        #expect(world.daemon.bodies.isEmpty)
    }
}
