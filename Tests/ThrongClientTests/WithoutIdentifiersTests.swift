import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Purposes without identifiers on the device: a value is sent, and nothing by which it could be told apart")
struct WithoutIdentifiersTests {
    private static let yaml = CookPlan.yaml.replacing(
        "purposes:\n",
        with: """
            purposes:
              tally:
                explanation: To count how often the timer rings.
                consent: required
                identifier: none
                retention: 100 days

            """
    ).replacing(
        "metrics:\n",
        with: """
            metrics:
              rings:
                title: Rings
                events: [timer_rang]
                question: How often does it ring?
                decision: Whether it stays.
                owner: Team
                expires: 2027-10-01
                purpose: tally
                dimensions: [os, category]
                period: day
                contribution_bound: 3

            """)

    @Test("batches have no identifier, are counted, and are the same from every device but for their names")
    func batches() async throws {
        let cook = try CookPlan(Self.yaml)
        var bodies: Set<String> = []
        for seed in 1...5 as ClosedRange<UInt64> {
            let world = try await World(cook, seed: seed)
            world.throng.record("timer_rang", ["category": "cake"])
            world.throng.record("recipe_opened", ["category": "cake"])
            #expect(await world.throng.flush().counted == 2)
            #expect(world.daemon.total("rings") == 1 && world.daemon.refusals.isEmpty)
            let own = try #require(world.daemon.batches.first { $0.purpose == "tally" })
            #expect(own.id == nil && own.window == (CookPlan.monday.value + 12 * 3600) / 3600)
            let known = try #require(world.daemon.batches.first { $0.purpose == "product" })
            #expect(known.id?.count == 32, "the other purpose has one")
            for body in world.daemon.bodies where body.contains("tally") {
                bodies.insert(body.replacing(own.batch, with: ""))
            }
            #expect(world.daemon.devices.keys.allSatisfy { $0.metric != "rings" })
        }
        #expect(bodies.count == 1, "\(bodies)")
    }

    @Test("the device keeps to the bound by itself, a day, across restarts, and says what it left out")
    func bound() async throws {
        let world = try await World(try CookPlan(Self.yaml))
        for _ in 0..<2 { world.throng.record("timer_rang", ["category": "cake"]) }
        #expect(await world.throng.flush().counted == 2)
        let again = try await world.restarted()
        for _ in 0..<5 { again.record("timer_rang", ["category": "stew"]) }
        #expect(await again.flush().counted == 1)
        #expect(await again.status.dropped[.contributionBound] == 4)
        // Other windows of the same day make no difference, which with identifiers they would.
        world.clock.advance(3 * 3600)
        again.record("timer_rang", ["category": "stew"])
        #expect(await again.flush().counted == 0)
        world.clock.advance(CookPlan.day)
        again.record("timer_rang", ["category": "stew"])
        #expect(await again.flush().counted == 1)
        #expect(world.daemon.total("rings") == 4)
    }

    @Test("nothing that is kept for it tells who it was, and withdrawing asks the daemon for nothing")
    func atRest() async throws {
        let storage = MemoryStorage()
        let world = try await World(try CookPlan(Self.yaml), storage: storage)
        world.throng.record("timer_rang", ["category": "cake"])
        world.line.set(.answerLost)
        _ = await world.throng.flush()
        let document = try #require(storage.read("cook-memory.json"))
        let memory = try JSONDecoder().decode(JSONValue.self, from: document)
        #expect(memory["secret"] == .text(""), "there is none")
        #expect(!String(describing: memory["taking"]).contains("tally"), "no use of an identifier is noted")
        #expect(!String(describing: memory["sent"]).contains("tally"))
        world.line.set(.fine)
        #expect(await world.throng.flush().counted == 1)
        #expect(world.daemon.total("rings") == 1, "the same bytes, counted once")
        world.throng.record("timer_rang", ["category": "cake"])
        try await world.throng.setConsent(.denied, for: "tally")
        let result = await world.throng.flush()
        #expect(result.withdrawing == 0 && result.counted == 0)
        #expect(world.daemon.withdrawals.isEmpty && world.daemon.refusals.isEmpty)
        #expect(world.daemon.total("rings") == 1, "what was sent stays, what waited is gone")
        // Of the purpose with identifiers the daemon is asked.
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let after = try JSONDecoder().decode(JSONValue.self, from: try #require(storage.read("cook-memory.json")))
        #expect(after["secret"] != .text(""), "the control: an identifier takes one")
        try await world.throng.setConsent(.denied, for: "product")
        _ = await world.throng.flush()
        #expect(world.daemon.withdrawals.count == 1)
    }

    @Test("people are asked as for any purpose, and told that no identifier is shown")
    func asking() async throws {
        let world = try await World(try CookPlan(Self.yaml), consents: false)
        world.throng.record("timer_rang", ["category": "cake"])
        #expect(await world.throng.flush().counted == 0 && world.daemon.bodies.isEmpty)
        let questions = await world.throng.consentQuestions
        #expect(questions.first { $0.id == "tally" }?.identifierSeconds == 0)
        #expect(questions.first { $0.id == "product" }?.identifierSeconds == 86_400)
        #expect(await world.throng.purposes.first { $0.id == "tally" }?.rotationSeconds == 0)
        let tally = try #require(questions.first { $0.id == "tally" })
        try await world.throng.answer(tally, with: .authorized)
        world.throng.record("timer_rang", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
    }

    @Test("a plan that asks without identifiers what takes one is refused by the device")
    func hostile() async throws {
        let cook = try CookPlan(CookPlan.asking)
        let text = String(decoding: cook.document, as: UTF8.self)
        let hostile = text.replacing(#""name":"product""#, with: #""identifier":"none","name":"product""#)
        #expect(hostile != text)
        let world = try await World(cook)
        #expect(await world.throng.refreshPlan(), "the control: as it was it is followed")
        world.daemon.publish(Data(hostile.utf8))
        #expect(await !world.throng.refreshPlan())
    }
}
