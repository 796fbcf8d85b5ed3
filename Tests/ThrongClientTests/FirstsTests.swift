import ClientWorld
import Foundation
import Testing
import ThrongClient
import ThrongWire

@Suite("A device marks its first contributions, and answers about itself")
struct FirstsTests {
    @Test("a first is marked once for each period and grouping")
    func once() async throws {
        let world = try await World()
        let groupings = { (day: Int, category: String) async -> [String: [Int]] in
            world.clock.set(CookPlan.monday + Int64(day) * CookPlan.day + 40_000)
            let before = world.daemon.batches.count
            world.throng.record("recipe_opened", ["category": .text(category)])
            _ = await world.throng.flush()
            return world.daemon.batches[before...].first?.events.first?.firsts?["recipes"] ?? [:]
        }
        #expect(await groupings(0, "cake") == ["day": [0, 1, 2], "week": [0, 1, 2], "month": [0, 1, 2]])
        #expect(await groupings(0, "cake") == [:])
        #expect(await groupings(0, "roast") == ["day": [2], "week": [2], "month": [2]])
        #expect(await groupings(1, "cake") == ["day": [0, 1, 2]])
        #expect(await groupings(7, "ice") == ["day": [0, 1, 2], "week": [0, 1, 2]])
        // The first of December is a Tuesday.
        #expect(await groupings(29, "stew") == ["day": [0, 1, 2], "week": [0, 1, 2], "month": [0, 1, 2]])
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
        #expect(world.daemon.batches.last?.events[0].firsts?["recipes"]?["day"] == [0, 1, 2])
        #expect(world.daemon.firsts.values.allSatisfy { $0 == 1 })
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
        #expect(world.daemon.firsts.values.allSatisfy { $0 == 1 })
    }

    @Test("each week after the first is answered once, when it is over, and so is how often")
    func answers() async throws {
        let world = try await World()
        func open(day: Int, recipes: Int) async {
            world.clock.set(CookPlan.monday + Int64(day) * CookPlan.day + 40_000)
            for _ in 0..<recipes { world.throng.record("recipe_opened", ["category": "cake"]) }
            _ = await world.throng.flush()
        }
        await open(day: 2, recipes: 1)
        await open(day: 6, recipes: 6)
        #expect(world.daemon.total("returns") == 0)
        // Week 1 passes without a recipe.
        await open(day: 9, recipes: 0)
        await open(day: 15, recipes: 2)
        await open(day: 16, recipes: 0)
        await open(day: 21, recipes: 0)
        var byWeek: [String: Int64] = [:]
        for (cell, count) in world.daemon.cells where ["returns", "weekly_use"].contains(cell.metric) {
            byWeek["\(cell.metric) \(cell.period) \(cell.labels[0])", default: 0] += count
        }
        #expect(
            byWeek == [
                "returns 2026-11-11 0": 1, "weekly_use 2026-11-11 5-10": 1,
                "returns 2026-11-23 2": 1, "weekly_use 2026-11-23 2-5": 1,
            ])
    }

    @Test("without consent nothing is noted that could be answered later")
    func noConsent() async throws {
        let world = try await World(consents: false)
        world.throng.record("recipe_opened", ["category": "cake"])
        await world.throng.setConsent(.authorized, for: "product")
        world.clock.advance(8 * CookPlan.day)
        _ = await world.throng.flush()
        #expect(world.daemon.bodies.isEmpty)
    }
}
