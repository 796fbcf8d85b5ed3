import Crypto
import Foundation
import Probe
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
        try await first.loadPlan()
        await first.close()
        line.set(.offline)
        let second = try await start(line, storage, clock)
        #expect(await second.purposes.count == 2)
        #expect(await second.refreshPlan() == false)
        line.set(.fine)
        #expect(await second.refreshPlan())
        #expect(daemon.planRequests.count == 2 && daemon.planRequests[0] == nil && daemon.planRequests[1] != nil)
    }

    @Test("without a network and a plan it starts all the same, and what is recorded waits for the plan")
    func offline() async throws {
        let clock = TestClock(CookPlan.monday + 40_000)
        let daemon = try Daemon(try CookPlan())
        let line = Line(daemon, clock: clock, weather: .offline)
        let throng = try await start(line, MemoryStorage(), clock)
        #expect(await throng.purposes.isEmpty)
        #expect(await throng.preview("arrival").refused == .noPlan)
        let none = ThrongError.noPlan("the daemon could not be reached.")
        await #expect(throws: none) { try await throng.loadPlan() }
        await throng.setContext(["os": "ios"])
        throng.record("arrival", ["campaign": "spring"])
        // Before anybody agreed, so it is not counted.
        throng.record("recipe_opened", ["category": "cake"])
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "ice"])
        throng.record("recipe_open", ["category": "ice"])
        let result = await throng.flush()
        #expect(result.problem == .noPlan(none) && result.waiting == 4)
        clock.advance(3600)
        line.set(.fine)
        #expect(await throng.flush().counted == 2)
        #expect(await throng.status.dropped == [.notAllowed: 1, .unknownEvent: 1])
        let day = "2026-11-02"
        #expect(daemon.cells[.init(metric: "arrivals", period: day, labels: ["ios", "spring"])] == 1)
        #expect(daemon.cells[.init(metric: "recipes", period: day, labels: ["ios", "dessert"])] == 1)
    }

    @Test(
        "whoever refuses before the plan has come is not counted for what was recorded before, also after agreeing again"
    )
    func refusedEarly() async throws {
        let clock = TestClock(CookPlan.monday + 40_000)
        let daemon = try Daemon(try CookPlan())
        let throng = try await start(Line(daemon, clock: clock), MemoryStorage(), clock)
        throng.record("arrival", ["campaign": "spring"])
        try await throng.setConsent(.denied, for: "adverts")
        try await throng.setConsent(.authorized, for: "adverts")
        await throng.setSignals([.limitAdTracking])
        throng.record("arrival", ["campaign": "spring"])
        await throng.setSignals([])
        throng.record("arrival", ["campaign": "autumn"])
        #expect(await throng.flush().counted == 1)
        #expect(await throng.status.dropped == [.notAllowed: 2])
        #expect(daemon.batches.flatMap(\.events).map(\.fields) == [["campaign": .text("autumn")]])
    }

    @Test(
        "why there is no plan is said: no such app, out of order, or led elsewhere",
        arguments: [
            (404, "none for the app cook (404)"), (500, "out of order (500)"), (503, "(503)"), (302, "elsewhere (302)"),
        ])
    func reasons(status: Int, words: String) async throws {
        let clock = TestClock(CookPlan.monday)
        let line = Line(try Daemon(try CookPlan()), clock: clock, weather: .answer(ClientResponse(status: status)))
        let throng = try await start(line, MemoryStorage(), clock)
        let error = await #expect(throws: ThrongError.self) { try await throng.loadPlan() }
        #expect("\(error as Any)".contains(words))
        #expect(await throng.status.planProblem == error)
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

    @Test("below a path, batches go below the same path, and say by which slot daemons share them out")
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
        let post = try #require(line.posts.first)
        let id = try #require(try JSONDecoder().decode(Batch.self, from: post.body).id)
        let slot = try #require(Array(SHA256.hash(data: Data(id.utf8))).first)
        #expect(line.posts.map(\.url.absoluteString) == ["https://example.org:8443/count/v1/batches?slot=\(slot)"])
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
