import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

@Suite("Nothing that comes from outside harms the app")
struct HostileTests {
    @Test(
        "only Throng's own word counts: any other answer leaves the batch waiting",
        arguments: [
            ClientResponse(status: 200, body: Data("<html>Welcome to the hotel</html>".utf8)),
            ClientResponse(status: 302, headers: ["Location": "https://portal.example"]),
            ClientResponse(status: 403, body: Data("<h1>Forbidden</h1>".utf8)),
            ClientResponse(status: 429), ClientResponse(status: 500), ClientResponse(status: 502),
            ClientResponse(status: 503, headers: ["Retry-After": "-5"], body: Data("busy".utf8)),
            ClientResponse(status: 202), ClientResponse(status: 202, body: Data("{}".utf8)),
            ClientResponse(status: 202, body: Data(#"{"accepted":"many","refused":7}"#.utf8)),
            ClientResponse(status: -1), ClientResponse(status: 202, body: Data(repeating: 0x5b, count: 100_000)),
        ])
    func strangers(response: ClientResponse) async throws {
        let world = try await World()
        world.line.set(.answer(response))
        world.throng.record("recipe_opened", ["category": "cake"])
        let result = await world.throng.flush()
        #expect(result.problem == .unreachable && result.waiting == 1)
        world.line.set(.fine)
        #expect(await world.throng.flush().counted == 1)
        #expect(world.daemon.total("recipes") == 1)
    }

    @Test("an answer about events that are not in the batch is no news")
    func oddAnswer() async throws {
        let world = try await World()
        let odd = """
            {"accepted":-9,"refused":[{"index":-1,"reason":"too_old"},{"index":999,"reason":"too_old"},\
            {"index":0,"reason":"too_old"},{"index":0,"reason":"too_old"}]}
            """
        world.line.set(.answer(ClientResponse(status: 202, body: Data(odd.utf8))))
        world.throng.record("recipe_opened", ["category": "cake"])
        let result = await world.throng.flush()
        #expect(result.counted == 0 && result.refused == 1 && result.waiting == 0)
    }

    @Test(
        "a plan that can't be followed is refused with a reason",
        arguments: [
            (["purposes"], "rotation_seconds", JSONValue.number(0)),
            (["purposes"], "rotation_seconds", .number(-900)),
            (["purposes"], "rotation_seconds", .number(9e18)),
            (["purposes"], "rotation_seconds", .text("often")),
            ([], "time_zone", .text("Mars/Base")),
            ([], "metrics", .null),
            (["metrics"], "expires", .text("never")),
            (["metrics"], "dimensions", .list([.text("nothing")])),
            (["metrics", "sums"], "decimals", .number(4000)),
            (["metrics", "sums"], "highest", .number(1e300)),
            (["metrics", "sums"], "lowest", .number(200)),
            (["metrics"], "first_groupings", .list([.list([.text("nothing")])])),
            (["metrics"], "first_groupings", .list(Array(repeating: .list([]), count: 100_000))),
            (["dimensions"], "rule", .object(["kind": .text("bands"), "edges": .list([])])),
            (["dimensions"], "rule", .object(["kind": .text("bands"), "edges": .list([.number(2), .number(1)])])),
            (["dimensions"], "rule", .object(["kind": .text("soundex")])),
            (
                ["dimensions"], "rule",
                .object([
                    "kind": .text("powers"), "base": .number(1e18), "lowest_exponent": .number(-1e18),
                    "highest_exponent": .number(1e18),
                ])
            ),
            (
                ["dimensions"], "rule",
                .object(["kind": .text("screen"), "medium_from": .number(9), "large_from": .number(1)])
            ),
        ])
    func badPlans(path: [String], member: String, value: JSONValue) async throws {
        let cook = try CookPlan()
        var document = try JSONDecoder().decode(JSONValue.self, from: cook.document)
        document.edit(path) { $0[member] = value }
        let bad = try JSONEncoder().encode(document)
        #expect(bad != cook.document)
        await #expect(throws: ThrongError.self) { try await Throng.testing(plan: bad, sink: MemorySink()) }
        // An app that runs already stays with the plan that it has.
        let world = try await World(cook)
        world.daemon.publish(bad)
        #expect(await world.throng.refreshPlan() == false)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
    }

    @Test(
        "a plan with odd but possible parts is followed",
        arguments: [
            (["metrics"], "contribution_bound", JSONValue.number(-4)),
            (["metrics"], "contribution_bound", .number(9e15)),
            (["metrics"], "sampling", .number(-3)),
            (["metrics"], "events", .list([])),
            (["purposes"], "events", .list([])),
            (["metrics"], "first_periods", .list([])),
        ])
    func oddPlans(path: [String], member: String, value: JSONValue) async throws {
        let cook = try CookPlan()
        var document = try JSONDecoder().decode(JSONValue.self, from: cook.document)
        document.edit(path) { $0[member] = value }
        let throng = try await Throng.testing(plan: try JSONEncoder().encode(document), sink: MemorySink())
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush().problem == nil)
    }

    @Test(
        "no plan, half a plan, or bytes at random are none",
        arguments: [
            Data(), Data("{}".utf8), Data("null".utf8), Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167) }),
        ])
    func noPlan(document: Data) async throws {
        await #expect(throws: ThrongError.self) { try await Throng.testing(plan: document, sink: MemorySink()) }
        let half = Data(try CookPlan().document.dropLast(100))
        await #expect(throws: ThrongError.self) { try await Throng.testing(plan: half, sink: MemorySink()) }
    }

    @Test("values of any kind and size are taken by the inbox and harm nothing")
    func oddValues() async throws {
        let world = try await World()
        let values: [EventValue] = [
            .number(.infinity), .number(-.greatestFiniteMagnitude), .integer(.min), .integer(.max), .flag(true),
            .text(""), .text("\0"), .text(String(repeating: "x", count: 3_000_000)), .text("\u{FFFD}\u{202E}"),
        ]
        for value in values {
            world.throng.record("recipe_opened", ["category": value])
            world.throng.record("purchase", ["amount": value, "app_version": value])
            world.throng.record(String(repeating: "e", count: 100_000), ["f": value])
            _ = await world.throng.preview("purchase", ["amount": value, "app_version": value])
        }
        while await world.throng.flush().waiting > 0 { world.clock.advance(CookPlan.day / 2) }
        #expect(world.daemon.refusals.isEmpty)
        #expect(world.daemon.total("recipes") == Int64(values.count))
    }

    @Test("options of any value are brought within bounds")
    func oddOptions() async throws {
        for number in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            for whole in [Int.min, -1, 0, Int.max] {
                let world = try await World { options in
                    options.interval = number
                    options.gap = number
                    options.ageLimit = Int64(whole)
                    options.queueLimit = whole
                    options.batchLimit = whole
                    options.logLimit = whole
                    options.planAge = Int64(whole)
                }
                world.throng.record("recipe_opened", ["category": "cake"])
                #expect(await world.throng.flush().counted == 1)
            }
        }
        for time in [Int64.min, -1, 0, .max] {
            let world = try await World(clock: TestClock(UnixSeconds(time)))
            world.line.set(.offline)
            world.throng.record("recipe_opened", ["category": "cake"])
            _ = await world.throng.flush()
        }
    }

    @Test("too much at once is counted as dropped, not kept")
    func flood() async throws {
        let roomy = CookPlan.yaml.replacing("contribution_bound: 5\n", with: "contribution_bound: 20000\n")
        let world = try await World(try CookPlan(roomy))
        for _ in 0..<12_000 { world.throng.record("purchase", ["amount": 1]) }
        let status = await world.throng.status
        #expect(status.waiting == 10_000 && status.dropped == [.queueFull: 2000])
    }

    @Test("on a full disk nothing is sent that could be sent twice, and all of it is once there is room")
    func fullDisk() async throws {
        let storage = FullStorage()
        let world = try await World(storage: storage)
        storage.isFull.withLock { $0 = true }
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.save() == false)
        #expect(await world.throng.flush().problem == .storage)
        #expect(await world.throng.status.isSaved == false)
        #expect(world.line.posts.isEmpty)
        storage.isFull.withLock { $0 = false }
        #expect(await world.throng.flush().counted == 1)
        #expect(await world.throng.status.isSaved)
        #expect(world.daemon.total("recipes") == 1)
    }

    @Test("a damaged memory starts anew; one that can't be read is left alone", arguments: ["{", "", "[1]"])
    func damaged(text: String) async throws {
        let storage = MemoryStorage()
        storage.replace("cook-memory.json", with: Data(text.utf8))
        storage.replace("cook-plan.json", with: Data(text.utf8))
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
        await #expect(throws: ThrongError.self) { _ = try await World(storage: UnreadableStorage()) }
    }

    private final class FullStorage: ClientStorage {
        let isFull = Mutex(false)
        private let inner = MemoryStorage()
        func read(_ name: String) -> Data? { inner.read(name) }
        func replace(_ name: String, with data: Data) throws {
            if isFull.withLock({ $0 }) { throw ThrongError.storage("full") }
            inner.replace(name, with: data)
        }
        func remove(_ name: String) { inner.remove(name) }
    }

    private struct UnreadableStorage: ClientStorage {
        func read(_ name: String) throws -> Data? {
            if name == "cook-memory.json" { throw ThrongError.storage("input or output error") }
            return nil
        }
        func replace(_ name: String, with data: Data) {}
        func remove(_ name: String) {}
    }
}
