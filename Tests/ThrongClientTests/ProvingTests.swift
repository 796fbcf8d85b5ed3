import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongPlan
import ThrongWire

@Suite("A device proves its identifiers where the plan counts proved devices, and nowhere else")
struct ProvingTests {
    private static func isTag(_ batch: Batch) -> Bool { batch.id == ProvingSource.tag(batch.purpose, batch.window) }

    private static let attested = CookPlan.yaml.replacing(
        "    rotation: 1 day\n", with: "    rotation: 1 day\n    floor: attested\n")

    private static func world(_ source: ProvingSource, storage: any ClientStorage = MemoryStorage()) async throws
        -> World
    {
        try await World(CookPlan(attested), storage: storage) { $0.identifiers = source }
    }

    private static func batches(_ world: World) throws -> [Batch] {
        try world.line.posts.filter { $0.url.path().hasSuffix("/v1/batches") }
            .map { try JSONDecoder().decode(Batch.self, from: $0.body) }
    }

    private static func cook(_ world: World) async -> FlushResult {
        world.throng.record("recipe_opened", ["category": "cake"])
        return await world.throng.flush()
    }

    @Test("it shows the attested identifier, with its proof until the daemon has taken one, in each window anew")
    func shown() async throws {
        let source = ProvingSource()
        let world = try await Self.world(source)
        world.line.set(.answerLost)
        _ = await Self.cook(world)
        world.line.set(.fine)
        world.clock.advance(60)
        for _ in 0..<2 { #expect(await Self.cook(world).problem == nil) }
        world.throng.record("arrival", ["campaign": "spring"])
        _ = await world.throng.flush()
        world.clock.advance(CookPlan.day)
        _ = await Self.cook(world)
        let sent = try Self.batches(world)
        let product = sent.filter { $0.purpose == "product" }
        let first = try #require(product.first).window
        #expect(product.allSatisfy(Self.isTag))
        #expect(Set(product.map(\.window)) == [first, first + 1])
        let proofs = product.filter { $0.window == first }.map(\.proof)
        #expect(proofs.first == ProvingSource.proof && proofs.last == .some(nil) && proofs.count == product.count - 1)
        #expect(product.last?.proof == ProvingSource.proof)
        let others = sent.filter { $0.purpose == "adverts" }
        #expect(!others.isEmpty && others.allSatisfy { $0.proof == nil && $0.id?.count == 32 })
        #expect(source.asked.withLock { $0 }.allSatisfy { $0.hasPrefix("product ") && $0.hasSuffix(" 86400") })
    }

    @Test("that a proof was taken is known after a restart")
    func restarted() async throws {
        let source = ProvingSource()
        let world = try await Self.world(source)
        _ = await Self.cook(world)
        let throng = try await world.restarted { $0.identifiers = source }
        throng.record("recipe_opened", ["category": "ice"])
        _ = await throng.flush()
        #expect(try Self.batches(world).map(\.proof) == [ProvingSource.proof, nil])
        #expect(Set(try Self.batches(world).map(\.id)).count == 1)
    }

    @Test("without an attested identifier a device counts under its own, and stays with it in that window")
    func without() async throws {
        let source = ProvingSource(hasAny: false)
        let world = try await Self.world(source)
        _ = await Self.cook(world)
        source.hasAny.withLock { $0 = true }
        _ = await Self.cook(world)
        world.clock.advance(CookPlan.day)
        _ = await Self.cook(world)
        let sent = try Self.batches(world)
        #expect(sent.map(Self.isTag) == [false, false, true])
        #expect(sent[0].id == sent[1].id && sent.map(\.proof) == [nil, nil, ProvingSource.proof])
    }

    @Test("what was shown is taken back by that identifier, which the window does not get again")
    func takenBack() async throws {
        let source = ProvingSource()
        let world = try await Self.world(source)
        _ = await Self.cook(world)
        #expect(world.daemon.total("recipes") == 1)
        try await world.throng.setConsent(.denied, for: "product")
        _ = await world.throng.flush()
        let window = try #require(try Self.batches(world).first).window
        #expect(world.daemon.withdrawals.map(\.id) == [ProvingSource.tag("product", window)])
        #expect(world.daemon.total("recipes") == 0)
        try await world.throng.setConsent(.authorized, for: "product")
        _ = await Self.cook(world)
        world.clock.advance(CookPlan.day)
        _ = await Self.cook(world)
        let sent = try Self.batches(world)
        #expect(sent.map(Self.isTag) == [true, false, true])
        #expect(
            sent.map(\.proof) == [ProvingSource.proof, nil, ProvingSource.proof] && world.daemon.total("recipes") == 2)
    }

    @Test("where the daemon does not take a proof, the events travel under the device's own identifier, once")
    func refused() async throws {
        let source = ProvingSource()
        let notices = Mutex<[ThrongNotice]>([])
        let world = try await World(CookPlan(Self.attested)) { options in
            options.identifiers = source
            options.notice = { notice in notices.withLock { $0.append(notice) } }
        }
        world.line.set(
            .answer(ClientResponse(status: 422, headers: [:], body: Data(#"{"error":"unproved"}"#.utf8))))
        world.throng.record("recipe_opened", ["category": "cake"])
        let running = Task { await world.throng.flush() }
        _ = await running.value
        world.line.set(.fine)
        _ = await world.throng.flush()
        let sent = try Self.batches(world)
        #expect(sent.first?.proof == ProvingSource.proof && sent.last?.proof == nil)
        #expect(world.daemon.total("recipes") <= 1)
        #expect(notices.withLock { $0.contains(.noCredential("the daemon did not take the proof.")) })
    }

    @Test("it asks for credentials where a purpose that is allowed needs them, and says so where it gets none")
    func asks() async throws {
        let source = ProvingSource()
        let notices = Mutex<[ThrongNotice]>([])
        source.fails.withLock { $0 = true }
        let world = try await World(CookPlan(Self.attested), consents: false) { options in
            options.identifiers = source
            options.notice = { notice in notices.withLock { $0.append(notice) } }
        }
        func asked() -> [String] {
            world.line.requests.map { $0.url.path() }.filter { $0.hasPrefix("/v1/credentials") }
        }
        _ = await world.throng.flush()
        #expect(asked().isEmpty, "nothing is allowed that needs one")
        try await world.throng.setConsent(.authorized, for: "product")
        for _ in 0..<3 { _ = await world.throng.flush() }
        #expect(asked() == ["/v1/credentials/cook", "/v1/credentials"], "after a failure it waits")
        #expect(notices.withLock { $0.contains { if case .noCredential = $0 { true } else { false } } })
        world.clock.advance(601)
        source.fails.withLock { $0 = false }
        for _ in 0..<3 { _ = await world.throng.flush() }
        #expect(asked().count == 4)
    }

    // MARK: Firsts

    @Test("it proves each cell of a period once, by itself, and not before nothing can be taken back any more")
    func provesFirsts() async throws {
        let source = ProvingSource()
        let world = try await World(CookPlan(CookPlan.proving)) { $0.identifiers = source }
        _ = await Self.cook(world)
        world.throng.record("recipe_opened", ["category": "roast"])
        _ = await world.throng.flush()
        #expect(try world.line.firsts.isEmpty)
        // The window after the next one has begun, and the longest wait is over.
        world.clock.advance(45 * 60)
        for _ in 0..<2 { _ = await Self.cook(world) }
        world.clock.advance(45 * 60)
        _ = await world.throng.flush()
        let said = try world.line.firsts.map(\.said).sorted()
        #expect(Set(said).count == said.count, "each once")
        #expect(
            said.contains("recipes day category=dessert os=ios") && said.contains("recipes day category=main os=ios"))
        #expect(said.contains("recipes week os=ios") && said.contains("monthly_recipes month os=ios"))
        let again = try await world.restarted { $0.identifiers = source }
        again.record("recipe_opened", ["category": "ice"])
        _ = await again.flush()
        world.clock.advance(CookPlan.day)
        _ = await again.flush()
        #expect(try world.line.firsts.count == said.count, "known after a restart")
        again.record("recipe_opened", ["category": "ice"])
        _ = await again.flush()
        world.clock.advance(45 * 60)
        _ = await again.flush()
        let next = try world.line.firsts.dropFirst(said.count).map(\.said)
        #expect(next.contains("recipes day category=dessert os=ios") && !next.contains { $0.contains("month") })
    }

    @Test("who refuses proves nothing more; without a credential, or an answer, it waits, and a refusal ends it")
    func waits() async throws {
        let source = ProvingSource()
        let world = try await World(CookPlan(CookPlan.proving)) { $0.identifiers = source }
        _ = await Self.cook(world)
        source.hasAny.withLock { $0 = false }
        world.clock.advance(45 * 60)
        _ = await world.throng.flush()
        #expect(try world.line.firsts.isEmpty)
        source.hasAny.withLock { $0 = true }
        world.clock.advance(3601)
        world.line.set(.answerLost)
        _ = await world.throng.flush()
        let lost = try world.line.firsts
        #expect(lost.count == 1, "after one that gets no answer the others wait")
        world.line.set(.answer(ClientResponse(status: 422, body: Data(#"{"error":"period_not_open"}"#.utf8))))
        world.clock.advance(601)
        _ = await world.throng.flush()
        world.line.set(.fine)
        let refused = try world.line.firsts.count
        #expect(refused > 2)
        world.clock.advance(601)
        _ = await world.throng.flush()
        #expect(try world.line.firsts.count == refused, "what was refused is forgotten")

        let other = try await World(CookPlan(CookPlan.proving)) { $0.identifiers = ProvingSource() }
        _ = await Self.cook(other)
        try await other.throng.setConsent(.denied, for: "product")
        other.clock.advance(45 * 60)
        _ = await other.throng.flush()
        try await other.throng.setConsent(.authorized, for: "product")
        _ = await other.throng.flush()
        #expect(try other.line.firsts.isEmpty)
    }
}
