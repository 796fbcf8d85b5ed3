import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

@Suite("The plan that is followed is this app's newest")
struct FollowingTests {
    private static let clock = CookPlan.monday + 12 * 3600

    private func start(
        _ storage: any ClientStorage, _ line: Line, _ clock: TestClock, bundled: Data?,
        url: URL? = CookPlan.url
    ) async throws -> Throng {
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: bundled)
        options.sendsByItself = false
        options.gap = 0
        return try await Throng(
            plan: try #require(url), storage: storage, transport: line, clock: clock, random: .seeded(4),
            options: options)
    }

    private static let extended = CookPlan.yaml.replacing("events: [arrival]", with: "events: [arrival, visit]")
    /// A field and a sum have other names.
    private static let renamed = CookPlan.yaml.replacing("field: category", with: "field: dish")
        .replacing("field: amount", with: "field: price")

    @Test("a directory that another app used starts anew for this one, and has the first one's state for the first one")
    func otherApp() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        try await world.throng.setConsent(.denied, for: "adverts")
        await world.throng.close()
        let bank = try CookPlan(CookPlan.yaml.replacing("name: cook", with: "name: bank"))
        let daemon = try Daemon(bank)
        let url = URL(string: "https://bank.example.org/v1/plan/bank")
        let line = Line(daemon, clock: world.clock)
        let other = try await start(storage, line, world.clock, bundled: nil, url: url)
        #expect(await other.flush() == FlushResult())
        #expect(await other.purposes.map(\.consent) == [.notDetermined, .notDetermined])
        other.record("arrival", ["campaign": "spring"])
        #expect(await other.flush().counted == 1)
        #expect(daemon.batches.map(\.app) == ["bank"])
        await other.close()
        let again = try await world.restarted()
        world.line.set(.fine)
        #expect(await again.flush().counted == 1)
        #expect(await again.purposes.map(\.consent) == [.authorized, .denied])
        #expect(world.daemon.batches.map(\.app) == ["cook"])
    }

    @Test("for the same app at another address nothing of the former goes there but what was refused")
    func otherAddress() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "roast"])
        try await world.throng.setConsent(.denied, for: "adverts")
        await world.throng.close()
        let daemon = try Daemon(world.cook)
        let url = URL(string: "https://elsewhere.example.org/v1/plan/cook")
        let moved = try await start(storage, Line(daemon, clock: world.clock), world.clock, bundled: nil, url: url)
        #expect(await moved.flush() == FlushResult())
        #expect(await moved.purposes.map(\.consent) == [.notDetermined, .denied])
        #expect(await moved.sent.isEmpty)
        try await moved.setConsent(.authorized, for: "product")
        moved.record("recipe_opened", ["category": "cake"])
        #expect(await moved.flush().counted == 1)
        #expect(daemon.batches.first?.id != world.daemon.batches.first?.id)
    }

    @Test("a bundled plan of another app is refused")
    func wrongBundle() async throws {
        let bank = try CookPlan(CookPlan.yaml.replacing("name: cook", with: "name: bank"))
        let line = Line(try Daemon(bank), clock: TestClock(Self.clock))
        await #expect(throws: ThrongError.self) {
            try await start(MemoryStorage(), line, TestClock(Self.clock), bundled: bank.document)
        }
    }

    @Test("an event that the stored plan does not have waits until the daemon was asked, which is once an hour")
    func unknownEvent() async throws {
        let clock = TestClock(Self.clock)
        let newer = try CookPlan(Self.extended)
        let daemon = try Daemon(newer)
        daemon.publish(try CookPlan().document)
        let line = Line(daemon, clock: clock)
        let throng = try await start(MemoryStorage(), line, clock, bundled: nil)
        throng.record("arrival")
        #expect(await throng.flush().counted == 1)
        daemon.publish(newer.document)
        clock.advance(60)
        line.set(.offline)
        throng.record("visit", ["campaign": "spring"])
        #expect(await throng.flush().waiting == 1)
        clock.advance(3600)
        line.set(.fine)
        #expect(await throng.flush().counted == 1)
        let day = "2026-11-02"
        #expect(daemon.cells[.init(metric: "arrivals", period: day, labels: ["ios", "spring"])] == 1)
        let asked = daemon.planRequests.count
        for _ in 0..<20 {
            throng.record("misspelt")
            _ = await throng.flush()
        }
        #expect(daemon.planRequests.count == asked)
        clock.advance(3600)
        for _ in 0..<20 {
            throng.record("misspelt")
            _ = await throng.flush()
        }
        #expect(daemon.planRequests.count == asked + 1)
        #expect(await throng.status.dropped == [.unknownEvent: 40])
    }

    @Test(
        "a bundled plan that comes with an update of the app takes the place of the stored one, once the daemon agrees")
    func newerBundle() async throws {
        let clock = TestClock(Self.clock)
        let storage = MemoryStorage()
        let older = try CookPlan()
        let newer = try CookPlan(Self.extended)
        let daemon = try Daemon(newer)
        daemon.publish(older.document)
        let line = Line(daemon, clock: clock)
        let first = try await start(storage, line, clock, bundled: older.document)
        _ = await first.refreshPlan()
        await first.close()
        line.set(.offline)
        let updated = try await start(storage, line, clock, bundled: newer.document)
        updated.record("visit", ["campaign": "autumn"])
        #expect(await updated.status.waiting == 1)
        await updated.close()
        let again = try await start(storage, line, clock, bundled: newer.document)
        #expect(await again.flush().waiting == 1)
        line.set(.fine)
        daemon.publish(newer.document)
        #expect(await again.flush().counted == 1)
        await again.close()
        // What was followed before is not newer, whatever the app bundles now.
        let downgraded = try await start(storage, line, clock, bundled: older.document)
        downgraded.record("visit", ["campaign": "autumn"])
        #expect(await downgraded.flush().counted == 1)
    }

    @Test("nothing is sent under a bundled plan in the place of the daemon's before the daemon was asked")
    func confirmed() async throws {
        let clock = TestClock(Self.clock)
        let storage = MemoryStorage()
        let strict = try CookPlan(CookPlan.yaml.replacing("consent: not_required", with: "consent: required"))
        let line = Line(try Daemon(strict), clock: clock)
        let first = try await start(storage, line, clock, bundled: nil)
        try await first.loadPlan()
        await first.close()
        // An old bundle that this device has not seen.
        let updated = try await start(storage, line, clock, bundled: try CookPlan().document)
        updated.record("arrival", ["campaign": "spring"])
        line.set(.answer(ClientResponse(status: 503)))
        #expect(await updated.flush().waiting == 1)
        #expect(line.posts.isEmpty)
        line.set(.fine)
        #expect(await updated.flush() == FlushResult())
        #expect(line.posts.isEmpty)
    }

    @Test("what waits under the former name of a field is counted under the new one")
    func renamedField() async throws {
        let clock = TestClock(Self.clock)
        for isBundled in [false, true] {
            let storage = MemoryStorage()
            let newer = try CookPlan(Self.renamed)
            let daemon = try Daemon(newer)
            let line = Line(daemon, clock: clock, weather: .offline)
            var throng = try await start(storage, line, clock, bundled: try CookPlan().document)
            try await throng.setConsent(.authorized, for: "product")
            throng.record("recipe_opened", ["category": "cake"])
            throng.record("purchase", ["amount": 12.5])
            #expect(await throng.flush().waiting == 2)
            if isBundled {
                await throng.close()
                throng = try await start(storage, line, clock, bundled: newer.document)
            }
            line.set(.fine)
            _ = await throng.refreshPlan()
            #expect(await throng.flush().counted == 2)
            #expect(daemon.refusals.isEmpty)
            let cell = Daemon.Cell(metric: "recipes", period: "2026-11-02", labels: ["ios", "dessert"])
            #expect(daemon.cells[cell] == 1)
            #expect(daemon.sums.values.reduce(0, +) == 1250)
        }
    }

    @Test("what waits goes out as coarsely as a newer plan wants it, and without what it has no use for")
    func coarser() async throws {
        let clock = TestClock(Self.clock)
        let yaml = CookPlan.yaml.replacing(#"known: ["2.0", "2.1", "2.2"]"#, with: #"known: ["2.0", "2.2"]"#)
            .replacing("dimensions: [os, campaign]", with: "dimensions: [os]")
        let daemon = try Daemon(try CookPlan(yaml))
        let line = Line(daemon, clock: clock, weather: .offline)
        let throng = try await start(MemoryStorage(), line, clock, bundled: try CookPlan().document)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("purchase", ["app_version": "2.1.3", "amount": 1])
        throng.record("arrival", ["campaign": "spring"])
        _ = await throng.flush()
        line.set(.fine)
        _ = await throng.refreshPlan()
        #expect(await throng.flush().counted == 2)
        #expect(daemon.refusals.isEmpty)
        #expect(!daemon.bodies.joined().contains("2.1") && !daemon.bodies.joined().contains("spring"))
    }
}
