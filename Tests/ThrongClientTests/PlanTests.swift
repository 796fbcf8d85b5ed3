import ClientWorld
import Foundation
import Testing
import ThrongClient
import ThrongWire

@Suite("The plan is fetched once and kept")
struct PlanTests {
    private func start(
        _ line: Line, _ storage: any ClientStorage, _ clock: TestClock, bundled: Data? = nil
    ) async throws -> Throng {
        var options = ThrongOptions(bundledPlan: bundled)
        options.sendsByItself = false
        return try await Throng(
            plan: try #require(CookPlan.url), storage: storage, transport: line, clock: clock, options: options)
    }

    @Test("the first start asks the daemon, the next ones need no network, and a refresh asks by tag")
    func cached() async throws {
        let clock = TestClock(CookPlan.monday)
        let daemon = try Daemon(try CookPlan())
        let line = Line(daemon, clock: clock)
        let storage = MemoryStorage()
        let first = try await start(line, storage, clock)
        await first.close()
        line.set(.offline)
        let second = try await start(line, storage, clock)
        #expect(await second.purposes.count == 2)
        #expect(await second.refreshPlan() == false)
        line.set(.fine)
        #expect(await second.refreshPlan())
        #expect(daemon.planRequests.count == 2 && daemon.planRequests[0] == nil && daemon.planRequests[1] != nil)
    }

    @Test("without a network, a stored or a bundled plan the start fails with a reason, and with one it does not")
    func offline() async throws {
        let clock = TestClock(CookPlan.monday)
        let cook = try CookPlan()
        let line = Line(try Daemon(cook), clock: clock, weather: .offline)
        await #expect(throws: ThrongError.noPlan("the daemon could not be reached.")) {
            try await start(line, MemoryStorage(), clock)
        }
        let throng = try await start(line, MemoryStorage(), clock, bundled: cook.document)
        #expect(await throng.purposes.count == 2)
    }

    @Test("a newer plan is followed from then on, and what it no longer has is not sent")
    func newer() async throws {
        let world = try await World()
        world.throng.record("arrival", ["campaign": "spring"])
        world.throng.record("recipe_opened", ["category": "cake"])
        await world.throng.save()
        var document = try JSONDecoder().decode(JSONValue.self, from: world.cook.document)
        document.edit(["purposes"]) { purpose in
            if purpose["name"]?.text == "adverts" { purpose["events"] = .list([]) }
        }
        world.daemon.publish(try JSONEncoder().encode(document))
        #expect(await world.throng.refreshPlan())
        #expect(await world.throng.flush().counted == 1)
        #expect(await world.throng.status.dropped == [.unknownEvent: 1])
        #expect(world.daemon.batches.map(\.purpose) == ["product"])
    }

    @Test("what waits for a purpose that a newer plan no longer has is dropped")
    func withoutPurpose() async throws {
        let world = try await World()
        world.throng.record("arrival", ["campaign": "spring"])
        await world.throng.save()
        var document = try JSONDecoder().decode(JSONValue.self, from: world.cook.document)
        guard case .list(let purposes) = document["purposes"] else { return }
        document["purposes"] = .list(purposes.filter { $0["name"]?.text != "adverts" })
        world.daemon.publish(try JSONEncoder().encode(document))
        #expect(await world.throng.refreshPlan())
        #expect(await world.throng.flush() == FlushResult())
        #expect(await world.throng.status.dropped == [.withdrawn: 1])
    }

    @Test("another app's plan is not followed")
    func otherApp() async throws {
        let world = try await World()
        var document = try JSONDecoder().decode(JSONValue.self, from: world.cook.document)
        document["app"] = .text("bank")
        world.daemon.publish(try JSONEncoder().encode(document))
        #expect(await world.throng.refreshPlan() == false)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
    }

    @Test(
        "the plan's address says where batches go, and a wrong one says what is right",
        arguments: [
            "https://example.org", "https://example.org/v1/plan/", "https://example.org/v1/plan/a/b",
            "ftp://example.org/v1/plan/a", "https://example.org/v1/plan/a?x=1",
        ])
    func address(text: String) async throws {
        await #expect(throws: ThrongError.planAddress) {
            try await Throng(plan: try #require(URL(string: text)), storage: MemoryStorage())
        }
    }

    @Test("below a path, batches go below the same path")
    func path() async throws {
        let clock = TestClock(CookPlan.monday)
        let cook = try CookPlan()
        let line = Line(try Daemon(cook), clock: clock)
        var options = ThrongOptions(bundledPlan: cook.document)
        options.sendsByItself = false
        let throng = try await Throng(
            plan: try #require(URL(string: "https://example.org:8443/count/v1/plan/cook")), storage: MemoryStorage(),
            transport: line, clock: clock, options: options)
        throng.record("arrival")
        _ = await throng.flush()
        #expect(line.posts.map(\.url.absoluteString) == ["https://example.org:8443/count/v1/batches"])
    }

    @Test("an app's own tests see what would be counted, at once and without a daemon")
    func testing() async throws {
        let sink = MemorySink()
        let throng = try await Throng.testing(
            plan: try CookPlan().document, sink: sink, clock: TestClock(CookPlan.monday), context: ["os": "linux"])
        throng.record("recipe_opened", ["category": "ice"])
        #expect(await throng.flush().counted == 1)
        #expect(sink.events.map(\.event) == ["recipe_opened"])
        #expect(sink.events.first?.fields == ["category": .text("dessert"), "os": .text("linux")])
    }
}
