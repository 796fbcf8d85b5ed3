import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Who withdraws is taken out of what the daemon has of open windows")
struct WithdrawalTests {
    /// All that a daemon has counted.
    private struct Counted: Equatable {
        let cells: [Daemon.Cell: Int64]
        let sums: [Daemon.Cell: Int64]
        let firsts: [Daemon.First: Int64]
        let devices: [Daemon.Device: Int64]

        init(_ daemon: Daemon) {
            cells = daemon.cells
            sums = daemon.sums
            firsts = daemon.firsts
            devices = daemon.devices
        }
    }

    /// A person who cooks and buys, in two windows of either purpose.
    private static func cook(_ throng: Throng, clock: TestClock, amount: Double) async {
        for hours in [0, 1, 23] as [Int64] {
            clock.set(CookPlan.monday + 12 * 3600 + hours * 3600)
            throng.record("recipe_opened", ["category": "cake"])
            throng.record("purchase", ["amount": amount])
            throng.record("arrival", ["campaign": "spring"])
            _ = await throng.flush()
            clock.advance(900)
            throng.record("arrival", ["campaign": "autumn"])
            _ = await throng.flush()
        }
    }

    /// What a daemon holds of a neighbour alone.
    private static func neighbour(_ cook: CookPlan, daemon: Daemon) async throws {
        let world = try await World(cook, seed: 99, daemon: daemon)
        await Self.cook(world.throng, clock: world.clock, amount: 70)
    }

    @Test("a daemon that met somebody who withdrew has what its twin has, who never met them")
    func twins() async throws {
        let cook = try CookPlan()
        let world = try await World(cook)
        let twin = try Daemon(cook)
        try await Self.neighbour(cook, daemon: twin)
        try await Self.neighbour(cook, daemon: world.daemon)
        await Self.cook(world.throng, clock: world.clock, amount: 30)
        #expect(Counted(world.daemon) != Counted(twin))
        for purpose in ["product", "adverts"] { try await world.throng.setConsent(.denied, for: purpose) }
        #expect(await world.throng.status.withdrawing == 4, "two windows of either purpose are open")
        #expect(await world.throng.flush() == FlushResult())
        #expect(Set(world.daemon.withdrawals).count == 4)
        // The first hours' quarters are over, and what was counted in them stays.
        let arrivals = world.daemon.cells.filter { $0.key.metric == "arrivals" }.values.reduce(0, +)
        #expect(arrivals == twin.total("arrivals") + 4)
        for name in ["recipes", "monthly_recipes", "purchases"] {
            #expect(world.daemon.cells.filter { $0.key.metric == name } == twin.cells.filter { $0.key.metric == name })
        }
        #expect(world.daemon.sums == twin.sums && world.daemon.firsts == twin.firsts)
        #expect(
            world.daemon.devices.filter { $0.key.metric != "arrivals" }
                == twin.devices.filter { $0.key.metric != "arrivals" })
    }

    @Test("whatever comes between withdrawal and answer, nothing of the person is left", arguments: 0..<40)
    func weather(seed: UInt64) async throws {
        let cook = try CookPlan()
        let world = try await World(cook, seed: seed)
        let twin = try Daemon(cook)
        try await Self.neighbour(cook, daemon: twin)
        try await Self.neighbour(cook, daemon: world.daemon)
        var random = RandomSource.seeded(seed)
        world.clock.set(CookPlan.monday + 12 * 3600)
        var throng = world.throng
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            throng.record("recipe_opened", ["category": ["cake", "roast"].randomElement(using: &random) ?? ""])
            throng.record("purchase", ["amount": Double.random(in: 0...100, using: &random)])
            world.line.set([.fine, .twice, .answerLost, .requestLost].randomElement(using: &random) ?? .fine)
            _ = await throng.flush()
            world.clock.advance(Int64.random(in: 0...4000, using: &random))
        }
        world.line.set(.offline)
        try await throng.setConsent(.denied, for: "product")
        for step in 0..<4 as Range<UInt64> {
            if Bool.random(using: &random) {
                await throng.close()
                var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
                options.sendsByItself = false
                options.gap = 0
                throng = try await Throng(
                    plan: try #require(CookPlan.url), storage: world.storage, transport: world.line, clock: world.clock,
                    random: .seeded(seed + step), options: options)
            }
            let busy = ClientResponse(status: 503, body: Data(#"{"error":"overloaded"}"#.utf8))
            let hotel = ClientResponse(status: 200, body: Data("<html>".utf8))
            world.line.set(
                [.offline, .answerLost, .requestLost, .answer(busy), .answer(hotel)].randomElement(using: &random)
                    ?? .offline)
            _ = await throng.flush()
            world.clock.advance(Int64.random(in: 0...4000, using: &random))
        }
        world.line.set(.fine)
        #expect(await throng.flush() == FlushResult())
        #expect(Counted(world.daemon) == Counted(twin))
    }

    @Test("a withdrawal names an identifier and nothing else, in the same bytes until it has an answer, and is logged")
    func log() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let batch = try #require(world.daemon.batches.first)
        try await world.throng.setConsent(.denied, for: "product")
        world.line.set(.answerLost)
        #expect(await world.throng.flush().problem == .unreachable)
        #expect(await world.throng.sent.last?.outcome == .unanswered)
        let again = try await world.restarted()
        #expect(await again.flush().withdrawing == 1)
        world.line.set(.fine)
        #expect(await again.flush().withdrawing == 0)
        let posts = world.line.posts.suffix(3)
        #expect(posts.allSatisfy { $0.url.absoluteString == "https://throng.example.org/v1/withdraw" })
        #expect(Set(posts.map(\.body)).count == 1)
        #expect(posts.allSatisfy { $0.headers == ["Content-Type": "application/json"] })
        let request = WithdrawRequest(
            app: "cook", purpose: "product", window: batch.window, id: try #require(batch.id))
        #expect(world.daemon.withdrawals == [request, request, request], "of which two answers were lost")
        let sent = await again.sent
        let post = String(decoding: try #require(posts.last).body, as: UTF8.self)
        try #require(sent.count == 2)
        #expect(sent[1].body == post)
        #expect(sent[1].purpose == "product" && sent[1].explanation == "To see which recipes are used.")
        #expect(sent[1].outcome == .counted(events: 0, refused: [:]))
        _ = await again.flush()
        #expect(world.daemon.withdrawals.count == 3, "what has an answer is not said again")
    }

    @Test("who agrees again in the same window counts under another identifier, and is one device")
    func agreesAgain() async throws {
        let world = try await World()
        for _ in 0..<20 { world.throng.record("recipe_opened", ["category": "cake"]) }
        #expect(await world.throng.flush().counted == 20, "all that one device may add")
        try await world.throng.setConsent(.denied, for: "product")
        try await world.throng.setConsent(.authorized, for: "product")
        for _ in 0..<20 { world.throng.record("recipe_opened", ["category": "cake"]) }
        world.line.set(.answerLost)
        #expect(await world.throng.flush().waiting == 20, "while nobody knows whether it was heard, it would be two")
        #expect(world.daemon.batches.count == 1)
        world.line.set(.fine)
        #expect(await world.throng.flush().counted == 20)
        let batches = world.daemon.batches
        #expect(batches.count == 2 && batches[0].id != batches[1].id && batches[0].window == batches[1].window)
        #expect(world.daemon.cells.filter { $0.key.metric == "recipes" }.values.sorted() == [20])
        #expect(Set(world.daemon.devices.values) == [1])
        let again = try await world.restarted()
        again.record("purchase", ["amount": 3])
        #expect(await again.flush().counted == 1)
        #expect(world.daemon.batches.last?.id == batches[1].id, "the new one lasts")
    }

    @Test("a daemon that does not take it holds back the window in which the device would be two, and no other")
    func refused() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        try await world.throng.setConsent(.denied, for: "product")
        world.line.set(.answer(ClientResponse(status: 403, body: Data(#"{"error":"origin_not_allowed"}"#.utf8))))
        #expect(await world.throng.flush().problem == .rejected(status: 403, error: "origin_not_allowed"))
        world.line.set(.fine)
        try await world.throng.setConsent(.authorized, for: "product")
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().waiting == 1)
        #expect(world.daemon.withdrawals.isEmpty, "what was refused is not said again")
        world.clock.advance(CookPlan.day)
        #expect(await world.throng.flush().counted == 1)
    }

    @Test("once its window is over, nothing is withdrawn any more: there is nothing left to name")
    func over() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        world.line.set(.offline)
        try await world.throng.setConsent(.denied, for: "product")
        #expect(await world.throng.flush().withdrawing == 1)
        world.clock.advance(2 * CookPlan.day)
        #expect(await world.throng.flush().withdrawing == 1, "nobody says what time it is")
        world.line.set(.fine)
        #expect(await world.throng.flush() == FlushResult())
        #expect(world.line.posts.filter { $0.url.lastPathComponent == "withdraw" }.count == 1)
        #expect(world.daemon.withdrawals.isEmpty)
    }

    @Test(
        "a clock that jumps between sending and withdrawal hides nothing", arguments: [-400, -3, 3, 300] as [Int64])
    func jumps(days: Int64) async throws {
        let cook = try CookPlan()
        let right = TestClock(CookPlan.monday + 12 * 3600)
        let shown = TestClock(CookPlan.monday + 12 * 3600)
        let daemon = try Daemon(cook)
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: Line(daemon, clock: right),
            clock: shown, random: .seeded(3), options: options)
        try await throng.setConsent(.authorized, for: "product")
        for _ in 0..<2 {
            // The second time the clock is put right by the daemon's, and identifiers are others from then on.
            throng.record("recipe_opened", ["category": "cake"])
            _ = await throng.flush()
            shown.advance(days * CookPlan.day)
        }
        #expect(Set(daemon.batches.map(\.id)).count == 2 && daemon.total("recipes") == 2)
        try await throng.setConsent(.denied, for: "product")
        #expect(await throng.flush().withdrawing == 0)
        #expect(Set(daemon.withdrawals.map(\.id)).isSuperset(of: daemon.batches.compactMap(\.id)))
        #expect(daemon.cells.isEmpty && daemon.firsts.isEmpty && daemon.devices.isEmpty)
    }

    @Test("an opt-out withdraws what it refuses, and only that, also where it began while the app was ended")
    func optOut() async throws {
        for isRunning in [true, false] {
            let world = try await World()
            world.throng.record("recipe_opened", ["category": "cake"])
            world.throng.record("arrival", ["campaign": "spring"])
            _ = await world.throng.flush()
            if isRunning {
                await world.throng.setSignals([.globalPrivacyControl])
                #expect(await world.throng.flush().withdrawing == 0)
            } else {
                let again = try await world.restarted { $0.signals = [.globalPrivacyControl] }
                #expect(await again.flush().withdrawing == 0)
            }
            #expect(world.daemon.withdrawals.map(\.purpose) == ["product"])
            #expect(world.daemon.total("recipes") == 0 && world.daemon.total("arrivals") == 1)
        }
    }

    @Test("a reset withdraws what the former device sent, and its log is the new one's")
    func reset() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let id = try #require(world.daemon.batches.first?.id)
        world.line.set(.offline)
        await world.throng.reset()
        let again = try await world.restarted()
        again.record("recipe_opened", ["category": "roast"])
        #expect(await again.flush().withdrawing == 1)
        #expect(await again.sent.count == 1)
        world.line.set(.fine)
        #expect(await again.flush().counted == 1)
        #expect(world.daemon.withdrawals.map(\.id) == [id])
        #expect(world.daemon.cells.filter { $0.key.metric == "recipes" }.map(\.key.labels) == [["ios", "main"]])
        #expect(
            await again.sent.map(\.outcome) == [.counted(events: 0, refused: [:]), .counted(events: 1, refused: [:])])
    }

    @Test("no identifier is remembered that was not on disk before, and none longer than the daemon may take it back")
    func atRest() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage) { $0.logLimit = 1 }
        for _ in 0..<5 {
            world.throng.record("recipe_opened", ["category": "cake"])
            _ = await world.throng.flush()
            world.clock.advance(CookPlan.day)
        }
        struct Kept: Decodable {
            struct Taking: Decodable { let used: [String: [Use]] }
            struct Use: Decodable { let place: Place }
            struct Place: Decodable { let window: Int64 }
            let taking: Taking
        }
        let document = try #require(storage.read("cook-memory.json"))
        let disk = String(decoding: document, as: UTF8.self)
        for batch in world.daemon.batches { #expect(!disk.contains(try #require(batch.id))) }
        let windows = try JSONDecoder().decode(Kept.self, from: document).taking.used["product"]?.map(\.place.window)
        #expect(windows == world.daemon.batches.map(\.window).suffix(3))
    }

    @Test("it goes by itself, too, and after a failure again", .timeLimit(.minutes(40)))
    func byItself() async throws {
        let cook = try CookPlan()
        let daemon = try Daemon(cook)
        let line = Line(daemon, clock: SystemClock())
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.interval = 0.1
        options.gap = 0
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: line, options: options)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        _ = await throng.flush()
        #expect(daemon.batches.count == 1)
        try await throng.setConsent(.denied, for: "product")
        while daemon.withdrawals.isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        #expect(daemon.withdrawals.count == 1)
        #expect(daemon.total("recipes") == 0)
        await throng.close()
    }
}
