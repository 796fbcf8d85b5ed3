import Foundation
import Probe
import Testing
import ThrongWire

@testable import ThrongClient

@Suite("What the plan wants sealed goes through its relay or stays on the device, whatever the relay does")
struct SealingTests {
    private static let relayed =
        CookPlan.yaml
        .replacing("  grace: 48 hours\n", with: "  grace: 48 hours\n  relay: \"\(RelayedLine.relay)\"\n")
        .replacing("    retention: 400 days\n", with: "    retention: 400 days\n    transport: oblivious\n")
        .replacing("    retention: 100 days\n", with: "    retention: 100 days\n    transport: oblivious\n")

    /// A device and both of its lines.
    private struct House {
        let cook: CookPlan
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        let line: RelayedLine
        let throng: Throng

        /// - Parameter knowsGateway: whether the app was built with the gateway's key.
        init(
            _ yaml: String = SealingTests.relayed, knowsGateway: Bool = true,
            options change: (inout ThrongOptions) -> Void = { _ in }
        ) async throws {
            cook = try CookPlan(yaml)
            line = RelayedLine(try Daemon(cook), clock: clock)
            var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
            options.sendsByItself = false
            options.gap = 0
            if knowsGateway { options.gatewayKey = line.signer.identity.text }
            change(&options)
            throng = try await Throng(
                plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: line, clock: clock,
                random: .seeded(7), options: options)
            for purpose in await throng.purposes { try await throng.setConsent(.authorized, for: purpose.id) }
        }

        func record() {
            throng.record("recipe_opened", ["category": "cake"])
            throng.record("arrival", ["campaign": "spring"])
        }
    }

    @Test("batches count through the relay, each of one of few sizes, and the daemon sees nothing with an address")
    func counted() async throws {
        let house = try await House()
        for _ in 0..<3 {
            house.record()
            let result = await house.throng.flush()
            #expect(result.problem == nil && result.counted == 2)
            house.clock.advance(86_400)
        }
        #expect(house.line.daemon.total("arrivals") == 3 && house.line.daemon.total("recipes") == 3)
        #expect(house.line.direct.isEmpty)
        #expect(house.line.opened.map(\.path) == Array(repeating: "/v1/batches", count: 6))
        let posts = house.line.relayed.filter { $0.method == "POST" }
        let sizes = Set(posts.map(\.body.count))
        #expect(posts.count == 6 && sizes.isSubset(of: [1, 4, 16].map { ($0 << 10) + 7 + 32 + 16 }), "\(sizes)")
        for post in posts {
            #expect(post.headers == ["Content-Type": "message/ohttp-req"] && post.url.path() == "/v1/ohttp")
        }
        // Once in 20 hours.
        #expect(house.line.asked == 3)
    }

    @Test(
        "under a plan that does not ask for it the same device shows its address, so that the other tests would see that"
    )
    func control() async throws {
        let house = try await House(CookPlan.yaml)
        house.record()
        #expect(await house.throng.flush().counted == 2)
        #expect(house.line.direct.count == 2 && house.line.relayed.isEmpty)
    }

    @Test(
        "nothing goes directly where the relay is away, answers for itself, or hands on no keys or wrong ones",
        arguments: [
            .offline, .silent, .answer(404, ""), .answer(500, ""), .answer(403, #"{"error":"unknown_app"}"#),
            .answer(200, "ok"), .answer(301, ""), .answer(202, #"{"accepted":1,"refused":[]}"#), .answerSealed(404, ""),
            .answerSealed(400, #"{"error":"not_encapsulated"}"#), .answerSealed(400, #"{"error":"oblivious_key"}"#),
            .answerSealed(202, #"{"accepted":1,"refused":[]}"#), .answerSealed(200, "ok"), .answerSealed(413, ""),
            .answerSealed(503, #"{"error":"overloaded"}"#), .answerSealed(422, #"{"error":"unknown_purpose"}"#),
            .ownKeys, .unsigned, .noKeys, .oldKeys(.max),
        ] as [RelayedLine.Weather])
    func neverDirectly(weather: RelayedLine.Weather) async throws {
        let house = try await House()
        house.line.set(weather)
        for _ in 0..<4 {
            house.record()
            let result = await house.throng.flush()
            #expect(result.counted == 0 && result.problem != nil, "\(weather)")
            _ = await house.throng.refreshPlan()
            house.clock.advance(300)
        }
        for purpose in ["product", "adverts"] { try await house.throng.setConsent(.denied, for: purpose) }
        _ = await house.throng.flush()
        #expect(house.line.direct.isEmpty, "\(weather): \(house.line.direct.map(\.url))")
        #expect(!house.line.relayed.isEmpty)
        #expect(house.line.stolen == 0, "a relay opened what it handed on a key for")
    }

    @Test("after all that what waited is counted, once")
    func later() async throws {
        let house = try await House()
        for weather in [.noKeys, .silent, .answerSealed(404, ""), .ownKeys] as [RelayedLine.Weather] {
            house.line.set(weather)
            if case .noKeys = weather { house.record() }
            _ = await house.throng.flush()
            house.clock.advance(60)
        }
        house.line.set(.fine)
        house.clock.advance(600)
        _ = await house.throng.flush()
        #expect(house.line.daemon.total("recipes") == 1 && house.line.daemon.total("arrivals") == 1)
        #expect(house.line.direct.isEmpty)
    }

    @Test("a key that the gateway does not know any more is asked for once, and what was sealed is sealed anew")
    func oldKeys() async throws {
        let house = try await House()
        house.throng.record("arrival", ["campaign": "spring"])
        #expect(await house.throng.flush().counted == 1)
        #expect(house.line.asked == 1)
        house.line.turn()
        house.clock.advance(1000)
        house.throng.record("arrival", ["campaign": "spring"])
        #expect(await house.throng.flush().counted == 1)
        #expect(house.line.asked == 2 && house.line.opened.count == 2)
    }

    @Test("keys that are new and that the gateway does not know are not asked for again at once")
    func strangeKeys() async throws {
        let house = try await House()
        house.line.set(.oldKeys(1))
        house.throng.record("arrival", ["campaign": "spring"])
        let result = await house.throng.flush()
        #expect(result.counted == 0 && result.problem == .unreachable, "an old key that was fetched now")
        #expect(house.line.asked == 1)
        house.clock.advance(600)
        house.throng.record("arrival", ["campaign": "spring"])
        _ = await house.throng.flush()
        #expect(house.line.asked == 2 && house.line.daemon.total("arrivals") == 2)
    }

    @Test("an app that expects another gateway sends nothing")
    func pinned() async throws {
        let house = try await House { $0.gatewayKey = GatewaySigner().identity.text }
        house.record()
        #expect(await house.throng.flush().problem == .unreachable)
        #expect(house.line.direct.isEmpty && house.line.opened.isEmpty)
        #expect(house.line.relayed.allSatisfy { $0.method == "GET" })
    }

    @Test("who the gateway is comes with the first plan, and from then on plans come through the relay, too")
    func learned() async throws {
        let house = try await House(knowsGateway: false)
        house.record()
        #expect(await house.throng.flush().counted == 2)
        #expect(house.line.direct.map { $0.url.path() } == ["/v1/plan/cook"])
        for _ in 0..<3 { #expect(await house.throng.refreshPlan()) }
        #expect(house.line.direct.count == 1)
        let plans = house.line.opened.filter { $0.method == "GET" }
        #expect(plans.map(\.path) == Array(repeating: "/v1/plan/cook", count: 3))
        #expect(
            plans.allSatisfy { !$0.fields.contains { $0.name == "if-none-match" } }, "a tag may be the device's own")
    }

    @Test("what is taken back goes sealed, also once a later plan sends the purpose directly")
    func withdrawals() async throws {
        let house = try await House()
        house.record()
        #expect(await house.throng.flush().counted == 2)
        let direct = Self.relayed.replacing(
            "    retention: 100 days\n    transport: oblivious\n", with: "    retention: 100 days\n")
        house.line.daemon.publish(try CookPlan(direct).document)
        #expect(await house.throng.refreshPlan())
        for purpose in ["product", "adverts"] { try await house.throng.setConsent(.denied, for: purpose) }
        #expect(await house.throng.flush().withdrawing == 0)
        #expect(house.line.daemon.withdrawals.count == 2)
        #expect(house.line.direct.isEmpty)
        #expect(house.line.opened.suffix(2).map(\.path) == ["/v1/withdraw", "/v1/withdraw"])
    }

    @Test("signals travel in what is sealed")
    func signals() async throws {
        let house = try await House()
        house.record()
        await house.throng.setSignals([.doNotTrack])
        _ = await house.throng.flush()
        let batches = house.line.opened.filter { $0.path == "/v1/batches" }
        #expect(batches.count == 2 && batches.allSatisfy { $0.fields.contains { $0.name == "dnt" && $0.value == "1" } })
    }

    @Test("a device whose plan is older learns from the refusal that it has to seal, and what it had is counted once")
    func olderPlan() async throws {
        let house = try await House()
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: try CookPlan().document)
        options.sendsByItself = false
        options.gap = 0
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: house.line, clock: house.clock,
            random: .seeded(9), options: options)
        for purpose in await throng.purposes { try await throng.setConsent(.authorized, for: purpose.id) }
        throng.record("arrival", ["campaign": "spring"])
        _ = await throng.flush()
        _ = await throng.flush()
        #expect(house.line.direct.map { $0.url.path() }.sorted() == ["/v1/batches", "/v1/plan/cook"])
        #expect(house.line.daemon.total("arrivals") == 1)
        #expect(await throng.status.dropped.isEmpty)
    }

    @Test("a gateway that takes what was sealed for direct makes no client go round for ever")
    func strangeGateway() async throws {
        let house = try await House()
        house.line.forgetsSeals()
        house.record()
        let result = await house.throng.flush()
        #expect(result.problem == .rejected(status: 422, error: "oblivious_only") && house.line.direct.isEmpty)
    }

    @Test("a plan that names no relay for what is to go through one is followed by nobody")
    func noRelay() async throws {
        var document = try JSONDecoder().decode(JSONValue.self, from: try CookPlan(Self.relayed).document)
        document["relay"] = nil
        #expect(throws: ThrongError.self) { try PlanSource.read(try JSONEncoder().encode(document)) }
        document["relay"] = .text("http://relay.example.net")
        #expect(throws: ThrongError.self) { try PlanSource.read(try JSONEncoder().encode(document)) }
    }

    @Test("in an app's own tests what would be sealed is in the sink")
    func sink() async throws {
        let sink = MemorySink()
        let throng = try await Throng.testing(plan: try CookPlan(Self.relayed).document, sink: sink)
        throng.record("arrival", ["campaign": "spring"])
        #expect(await throng.flush().counted == 1 && sink.events.map(\.event) == ["arrival"])
    }
}
