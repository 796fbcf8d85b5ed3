import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

/// What a device proved stays, since nobody can tell whose it is. So nothing may be proved of what is taken back.
@Suite("Promise 6: who withdraws, opts out or resets proves nothing of what came before")
struct WithdrawnFirstsTests {
    /// How a person says no.
    enum Way: CaseIterable, Sendable {
        case consent, signal, signalAtStart, reset
    }

    /// Longer than it takes until the firsts of a window go.
    private static let late: Int64 = 75 * 60
    /// Firsts of another purpose, too.
    private static let proving = CookPlan.proving
        .replacing(
            "    rotation: 15 minutes\n    retention: 100 days\n",
            with: """
                    rotation: 15 minutes
                    floor: attested
                    retention: 100 days

                """
        )
        .replacing(
            "    dimensions: [os, campaign]\n    period: day\n",
            with: """
                    dimensions: [os, campaign]
                    period: day
                    measures: {reach: attested}

                """)

    private static func world(storage: any ClientStorage = MemoryStorage()) async throws -> World {
        try await World(CookPlan(proving), storage: storage) { $0.identifiers = ProvingSource() }
    }

    private static func cook(_ throng: Throng, _ what: String = "cake") async {
        throng.record("recipe_opened", ["category": what])
        _ = await throng.flush()
    }

    /// What waits to be proved, as it lies on the disk.
    private static func pending(_ storage: MemoryStorage) throws -> [JSONValue] {
        let memory = try JSONDecoder().decode(JSONValue.self, from: try #require(storage.read("cook-memory.json")))
        if case .list(let list)? = memory["pending"] { return list }
        return []
    }

    /// Whatever is due goes, for a day.
    private static func wait(_ world: World, _ throng: Throng) async {
        for _ in 0..<24 {
            world.clock.advance(late)
            _ = await throng.flush()
        }
    }

    @Test("nothing that was taken back is proved, also when they agree again or start anew", arguments: Way.allCases)
    func takenBack(way: Way) async throws {
        let storage = MemoryStorage()
        let world = try await Self.world(storage: storage)
        var throng = world.throng
        await Self.cook(throng)
        await Self.cook(throng, "roast")
        #expect(world.daemon.total("recipes") == 2)
        #expect(try !Self.pending(storage).isEmpty)
        switch way {
        case .consent: try await throng.setConsent(.denied, for: "product")
        case .signal: await throng.setSignals([.globalPrivacyControl])
        case .signalAtStart:
            throng = try await world.restarted {
                $0.identifiers = ProvingSource()
                $0.signals = [.globalPrivacyControl]
            }
        case .reset: await throng.reset()
        }
        #expect(try Self.pending(storage).isEmpty, "at once")
        #expect(await throng.flush().withdrawing == 0)
        #expect(world.daemon.total("recipes") == 0)
        await throng.setSignals([])
        try await throng.setConsent(.authorized, for: "product")
        await Self.wait(world, throng)
        if way != .signalAtStart { throng = try await world.restarted { $0.identifiers = ProvingSource() } }
        await Self.wait(world, throng)
        #expect(try world.line.firsts.isEmpty)
    }

    @Test("what stays counted, since its window is over, is not proved any more either")
    func refusedInTime() async throws {
        let world = try await Self.world()
        await Self.cook(world.throng)
        // The next window but one begins now, and what is to be proved waits a little longer.
        world.clock.advance(30 * 60)
        try await world.throng.setConsent(.denied, for: "product")
        _ = await world.throng.flush()
        #expect(world.daemon.withdrawals.isEmpty && world.daemon.total("recipes") == 1)
        try await world.throng.setConsent(.authorized, for: "product")
        await Self.wait(world, world.throng)
        #expect(try world.line.firsts.isEmpty)
    }

    @Test("a batch without an answer is taken back with what it would have proved")
    func unanswered() async throws {
        let world = try await Self.world()
        world.line.set(.answerLost)
        await Self.cook(world.throng)
        #expect(world.daemon.total("recipes") == 1)
        try await world.throng.setConsent(.denied, for: "product")
        world.line.set(.fine)
        #expect(await world.throng.flush().withdrawing == 0)
        #expect(world.daemon.total("recipes") == 0)
        try await world.throng.setConsent(.authorized, for: "product")
        await Self.wait(world, world.throng)
        #expect(try world.line.firsts.isEmpty)
    }

    @Test("an answer that comes after the refusal leaves nothing to be proved")
    func lateAnswer() async throws {
        let storage = MemoryStorage()
        let cook = try CookPlan(Self.proving)
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        let daemon = try Daemon(cook)
        let line = HeldLine(Line(daemon, clock: clock), holding: "/v1/batches")
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        options.identifiers = ProvingSource()
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: storage, transport: line, clock: clock, random: .seeded(7),
            options: options)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        async let flushed = throng.flush()
        await line.untilHeld()
        try await throng.setConsent(.denied, for: "product")
        line.letGo()
        _ = await flushed
        #expect(try Self.pending(storage).isEmpty)
        #expect(await throng.flush().withdrawing == 0)
        #expect(daemon.total("recipes") == 0)
    }

    @Test("of other purposes everything is proved")
    func others() async throws {
        let world = try await Self.world()
        world.throng.record("arrival", ["campaign": "spring"])
        await Self.cook(world.throng)
        try await world.throng.setConsent(.denied, for: "product")
        _ = await world.throng.flush()
        await Self.wait(world, world.throng)
        #expect(
            try world.line.firsts.map(\.said).sorted() == [
                "arrivals day campaign=spring os=ios", "arrivals day os=ios",
            ])
    }

    @Test("what was proved stays and is not proved again; what was not is, once they agree and do it again")
    func agreesAgain() async throws {
        let world = try await Self.world()
        await Self.cook(world.throng)
        world.clock.advance(Self.late)
        _ = await world.throng.flush()
        let proved = try world.line.firsts.map(\.said)
        #expect(proved.contains("recipes day category=dessert os=ios"))
        // Another cell of the same day, taken back before it is proved.
        await Self.cook(world.throng, "roast")
        try await world.throng.setConsent(.denied, for: "product")
        _ = await world.throng.flush()
        #expect(world.daemon.withdrawals.count == 1 && world.daemon.total("recipes") == 1)
        try await world.throng.setConsent(.authorized, for: "product")
        world.clock.advance(Self.late)
        _ = await world.throng.flush()
        #expect(try world.line.firsts.count == proved.count)
        for what in ["cake", "roast"] { await Self.cook(world.throng, what) }
        world.clock.advance(Self.late)
        _ = await world.throng.flush()
        let again = try world.line.firsts.dropFirst(proved.count).map(\.said)
        #expect(Set(again).count == again.count && !again.contains { $0.contains("dessert") })
        #expect(again.contains("recipes day category=main os=ios"))
        #expect(Set(again).isDisjoint(with: proved), "each once")
    }
}

/// A line on which requests to one address wait until they are let go.
private final class HeldLine: ClientTransport {
    private let line: Line
    private let path: String
    private let held = AsyncStream.makeStream(of: Void.self)
    private let gate = AsyncStream.makeStream(of: Void.self)

    init(_ line: Line, holding path: String) {
        self.line = line
        self.path = path
    }

    /// Waits until a request is on its way.
    func untilHeld() async { for await _ in held.stream { return } }

    func letGo() { gate.continuation.finish() }

    func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        // It arrives, and its answer takes long.
        let answer = try await line.send(request)
        guard request.url.path() == path else { return answer }
        held.continuation.yield()
        for await _ in gate.stream {}
        return answer
    }
}
