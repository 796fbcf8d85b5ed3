import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

@Suite("What waits is sent once, in time, or counted as dropped")
struct QueueTests {
    @Test("a batch without an answer is sent again byte for byte, and counts once")
    func sameBytes() async throws {
        let world = try await World()
        world.line.set(.answerLost)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().problem == .unreachable)
        world.throng.record("recipe_opened", ["category": "roast"])
        #expect(await world.throng.flush().waiting == 2)
        world.line.set(.fine)
        let result = await world.throng.flush()
        #expect(result.counted == 2 && result.waiting == 0 && result.problem == nil)
        let bodies = world.line.posts.map(\.body)
        #expect(bodies.count == 4 && bodies[0] == bodies[1] && bodies[1] == bodies[2] && bodies[2] != bodies[3])
        #expect(world.daemon.total("recipes") == 2)
    }

    @Test("a batch without an answer is still known again after a restart and in the next window")
    func acrossRestart() async throws {
        let world = try await World()
        world.line.set(.answerLost)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let again = try await world.restarted()
        world.clock.advance(CookPlan.day)
        world.line.set(.fine)
        #expect(await again.flush().counted == 1)
        #expect(Set(world.line.posts.map(\.body)).count == 1)
        #expect(world.daemon.total("recipes") == 1)
    }

    @Test("once the window after the next one has begun, a batch without an answer is dropped, not doubled")
    func horizon() async throws {
        let world = try await World()
        world.line.set(.answerLost)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        world.clock.advance(2 * CookPlan.day)
        world.line.set(.fine)
        #expect(await world.throng.flush().waiting == 0)
        #expect(await world.throng.status.dropped == [.unanswered: 1])
        #expect(world.line.posts.count == 1 && world.daemon.total("recipes") == 1)
        #expect(await world.throng.sent.map(\.outcome) == [.unanswered])
    }

    @Test("what surely never left travels in the window that is open when it does")
    func offline() async throws {
        let world = try await World()
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "cake"])
        for _ in 0..<5 { #expect(await world.throng.flush().problem == .unreachable) }
        #expect(await world.throng.sent.isEmpty)
        world.clock.advance(CookPlan.day + 3600)
        world.line.set(.fine)
        #expect(await world.throng.flush().counted == 1)
        let batch = try #require(world.daemon.batches.first)
        #expect(batch.window == world.clock.unixSeconds / CookPlan.day)
        #expect(batch.events[0].at == "2026-11-02T22:59:59Z")
    }

    @Test("events that are too old for the daemon are dropped and counted")
    func tooOld() async throws {
        let world = try await World()
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("purchase", ["amount": 3])
        // The day ends 12 hours after noon; 47 hours later is the limit. The hour's event is too old by then.
        world.clock.advance(12 * 3600 + 46 * 3600)
        world.line.set(.fine)
        #expect(await world.throng.flush().counted == 1)
        #expect(await world.throng.status.dropped == [.tooOld: 1])
        #expect(world.daemon.refusals.isEmpty)
    }

    @Test("beyond the queue's limit the oldest goes, and is counted")
    func cap() async throws {
        let world = try await World(try CookPlan(CookPlan.unbounded)) { $0.queueLimit = 3 }
        for amount in 1...5 { world.throng.record("purchase", ["amount": amount]) }
        #expect(await world.throng.status.waiting == 3)
        #expect(await world.throng.status.dropped == [.queueFull: 2])
        _ = await world.throng.flush()
        #expect(world.daemon.sums.values.reduce(0, +) == 1200)
    }

    @Test("alike events are one with a count, and the fields that all have in common are written once")
    func merged() async throws {
        let world = try await World()
        for _ in 0..<7 { world.throng.record("recipe_opened", ["category": "cake"]) }
        world.throng.record("recipe_opened", ["category": "roast"])
        _ = await world.throng.flush()
        let batch = try #require(world.daemon.batches.first)
        #expect(batch.context == ["os": .text("ios")])
        #expect(batch.events.map(\.count) == [7, nil])
        #expect(batch.events.map(\.fields) == [["category": .text("dessert")], ["category": .text("main")]])
        #expect(world.daemon.total("recipes") == 8)
    }

    @Test("a device adds no more than the bound in a window, and the daemon has nothing to refuse")
    func bound() async throws {
        let world = try await World()
        for _ in 0..<30 { world.throng.record("recipe_opened", ["category": "cake"]) }
        #expect(await world.throng.flush().counted == 20)
        #expect(await world.throng.status.dropped == [.contributionBound: 10])
        world.clock.advance(CookPlan.day)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
        #expect(world.daemon.refusals.isEmpty && world.daemon.total("recipes") == 21)
    }

    @Test("what was within the bound of its own window waits for one with room")
    func boundOffline() async throws {
        let world = try await World()
        world.line.set(.offline)
        for _ in 0..<15 { world.throng.record("recipe_opened", ["category": "cake"]) }
        _ = await world.throng.flush()
        world.clock.advance(CookPlan.day)
        for _ in 0..<15 { world.throng.record("recipe_opened", ["category": "cake"]) }
        world.line.set(.fine)
        let first = await world.throng.flush()
        #expect(first.counted == 20 && first.waiting == 10)
        world.clock.advance(CookPlan.day)
        #expect(await world.throng.flush().counted == 10)
        #expect(world.daemon.refusals.isEmpty && world.daemon.total("recipes") == 30)
    }

    @Test(
        "Retry-After is kept, as seconds and as a date, also by flush, and never longer than a day",
        arguments: [
            ("120", 120), ("Mon, 02 Nov 2026 11:05:00 GMT", 300), ("999999999999", 86_400),
        ])
    func retryAfter(header: String, seconds: Int64) async throws {
        let world = try await World()
        let busy = ClientResponse(
            status: 503, headers: ["Retry-After": header], body: Data(#"{"error":"overloaded"}"#.utf8))
        world.line.set(.answer(busy))
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().problem == .busy(seconds: seconds))
        world.line.set(.fine)
        world.clock.advance(seconds - 1)
        #expect(await world.throng.flush().problem == .busy(seconds: 1))
        #expect(world.line.posts.count == 1)
        world.clock.advance(1)
        #expect(await world.throng.flush().counted == 1)
    }

    @Test("a batch of a network that has brought enough is not lost: it waits, and its events travel in a later window")
    func networkQuota() async throws {
        let world = try await World()
        world.line.set(
            .answer(
                ClientResponse(
                    status: 429, headers: ["Retry-After": "600"], body: Data(#"{"error":"network_quota"}"#.utf8))))
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().problem == .busy(seconds: 600))
        world.line.set(.fine)
        // The daemon takes batches of the window before, too: the same one would go there.
        let refused = try JSONDecoder().decode(Batch.self, from: try #require(world.line.posts.first).body)
        world.clock.set(UnixSeconds((refused.window + 2) * CookPlan.day + 60))
        #expect(await world.throng.flush().counted == 1)
        let sent = try JSONDecoder().decode(Batch.self, from: try #require(world.line.posts.last).body)
        #expect(sent.window == refused.window + 2)
        #expect(sent.batch != refused.batch)
        #expect(await world.throng.status.dropped.isEmpty)
    }

    @Test("an app's key goes with each batch, and without one there is none")
    func key() async throws {
        for key in [nil, "ak_00ff"] as [String?] {
            let world = try await World { $0.key = key }
            world.throng.record("recipe_opened", ["category": "cake"])
            #expect(await world.throng.flush().counted == 1)
            let bodies = world.line.posts.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(try bodies.map { try JSONDecoder().decode(Batch.self, from: Data($0.utf8)).key } == [key])
            #expect(bodies.allSatisfy { $0.contains("\"key\"") == (key != nil) })
        }
    }

    @Test("a batch that the daemon refuses as a whole is not sent again, and the log has its word")
    func rejected() async throws {
        let world = try await World()
        world.line.set(.answer(ClientResponse(status: 404, body: Data(#"{"error":"unknown_app"}"#.utf8))))
        world.throng.record("recipe_opened", ["category": "cake"])
        let result = await world.throng.flush()
        #expect(result.problem == .rejected(status: 404, error: "unknown_app") && result.waiting == 0)
        #expect(await world.throng.sent.map(\.outcome) == [.rejected(status: 404, error: "unknown_app")])
        #expect(await world.throng.status.dropped == [.refused: 1])
    }

    @Test("the log holds every batch exactly as sent, with the purpose's words, and no more than its limit")
    func log() async throws {
        let world = try await World { $0.logLimit = 3 }
        for day in 0..<5 {
            world.clock.set(CookPlan.monday + Int64(day) * CookPlan.day + 40_000)
            world.throng.record("recipe_opened", ["category": "cake"])
            _ = await world.throng.flush()
        }
        let sent = await world.throng.sent
        #expect(sent.map { Data($0.body.utf8) } == world.line.posts.map(\.body).suffix(3))
        #expect(sent.allSatisfy { $0.explanation == "To see which recipes are used." && $0.purpose == "product" })
        #expect(sent.map(\.outcome) == Array(repeating: .counted(events: 1, refused: [:]), count: 3))
        #expect(sent.map(\.id) == world.daemon.batches.suffix(3).map(\.batch))
        let again = try await world.restarted()
        #expect(await again.sent == sent)
    }

    @Test("batches of two purposes go in random order with a pause between them")
    func pause() async throws {
        var orders: Set<[String]> = []
        for seed in 0..<12 as Range<UInt64> {
            let world = try await World(seed: seed) { $0.gap = 2 }
            world.throng.record("recipe_opened", ["category": "cake"])
            world.throng.record("arrival", ["campaign": "spring"])
            _ = await world.throng.flush()
            orders.insert(world.daemon.batches.map(\.purpose))
            #expect(world.clock.sleeps.count == 1 && world.clock.sleeps.allSatisfy { (0...2).contains($0) })
        }
        #expect(orders == [["product", "adverts"], ["adverts", "product"]])
    }

    @Test("without a word from the app, batches go by themselves", .timeLimit(.minutes(40)))
    func byItself() async throws {
        let cook = try CookPlan()
        let clock = SystemClock()
        let sink = MemorySink()
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.interval = 0.1
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: sink, clock: clock,
            options: options)
        throng.record("arrival", ["campaign": "spring"])
        while sink.batches.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        #expect(sink.events.map(\.event) == ["arrival"])
        await throng.close()
    }

    @Test("a hundred tasks that record at once do not disturb each other")
    func concurrent() async throws {
        let world = try await World(try CookPlan(CookPlan.unbounded))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<100 {
                group.addTask {
                    for number in 0..<20 {
                        let amount = Double(task * 20 + number + 1) / 100
                        world.throng.record("purchase", ["amount": amount])
                        if number % 7 == 0 { _ = await world.throng.flush() }
                        if number % 11 == 0 { _ = await world.throng.sent }
                    }
                }
            }
        }
        while await world.throng.flush().waiting > 0 {}
        #expect(world.daemon.total("purchases") == 2000)
        // 1 + 2 + … + 2000
        #expect(world.daemon.sums.values.reduce(0, +) == 2_001_000)
        #expect(world.daemon.refusals.isEmpty)
    }

    @Test("recording returns at once, however slow the disk is", .timeLimit(.minutes(40)))
    func neverBlocks() async throws {
        let disk = StuckStorage()
        let world = try await World(storage: disk)
        world.throng.record("recipe_opened", ["category": "cake"])
        disk.isStuck.store(true, ordering: .releasing)
        async let saved = world.throng.save()
        while !disk.isWriting.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(10)) }
        for _ in 0..<1000 { world.throng.record("recipe_opened", ["category": "cake"]) }
        let isStuckStill = disk.isStuck.exchange(false, ordering: .acquiringAndReleasing)
        #expect(isStuckStill, "recording waited for the disk")
        #expect(await saved)
        #expect(await world.throng.save())
    }

    /// A disk that stands still from when a test says so until it says otherwise, or for ten minutes.
    private final class StuckStorage: ClientStorage {
        let isStuck = Atomic(false)
        let isWriting = Atomic(false)
        private let inner = MemoryStorage()

        func read(_ name: String) -> Data? { inner.read(name) }
        func replace(_ name: String, with data: Data) {
            var left = 60_000
            while isStuck.load(ordering: .acquiring), left > 0 {
                isWriting.store(true, ordering: .releasing)
                Thread.sleep(forTimeInterval: 0.01)
                left -= 1
            }
            if left == 0 { isStuck.store(false, ordering: .releasing) }
            inner.replace(name, with: data)
        }
        func remove(_ name: String) { inner.remove(name) }
    }
}
