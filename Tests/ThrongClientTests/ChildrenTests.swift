import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Children are counted where a plan says so, and known again nowhere")
struct ChildrenTests {
    private static let yaml = """
        app:
          name: cook
          title: Cook
          owner: Team
          contact: privacy@example.com
          time_zone: Europe/Vienna
          audience: 10000
          threshold: 50
          directed_to: mixed
        purposes:
          product: {explanation: To see., use: product, consent: parent, rotation: 1 hour, retention: 100 days}
          safety: {explanation: To mend., use: security, consent: not_required, rotation: 1 hour, retention: 100 days}
          adverts:
            explanation: To sell.
            use: marketing
            consent: not_required
            refused_by: [age_signal]
            rotation: 1 day
            retention: 100 days
        metrics:
          recipes: {title: Recipes, events: [recipe_opened], question: Which?, decision: That., owner: Team,
            expires: 2027-10-01, purpose: product, period: day}
          crashes: {title: Crashes, events: [crash], question: Which?, decision: That., owner: Team,
            expires: 2027-10-01, purpose: safety, period: day}
          arrivals: {title: Arrivals, events: [arrival], question: Which?, decision: That., owner: Team,
            expires: 2027-10-01, purpose: adverts, period: day}
        """

    private static func cook(_ directedTo: String = "mixed") throws -> CookPlan {
        guard directedTo == "children" else { return try CookPlan(yaml) }
        return try CookPlan(
            yaml.replacing("directed_to: mixed", with: "directed_to: children")
                .replacing("    use: marketing\n", with: "    use: research\n")
                .replacing("    refused_by: [age_signal]\n    rotation: 1 day\n", with: "    rotation: 1 hour\n"))
    }

    @Test(
        "the question is a parent's, unless the person is grown up; and of what is kept from children nobody is asked")
    func questions() async throws {
        let yaml = Self.yaml.replacing(
            "consent: not_required\n    refused_by", with: "consent: required\n    refused_by")
        let world = try await World(CookPlan(yaml), consents: false)
        let question = try #require(await world.throng.consentQuestions.first)
        #expect(await world.throng.consentQuestions.map(\.id) == ["product"])
        #expect(question.choices.map(\.consent) == [.authorizedByParent, .denied])
        await world.throng.setGrownUp(true)
        #expect(await world.throng.consentQuestions.map(\.id) == ["product", "adverts"])
        #expect(await world.throng.consentQuestions[0].choices.map(\.consent) == [.authorized, .denied])
    }

    @Test("until somebody is known to be grown up, what a plan keeps from children counts nothing")
    func unknownAge() async throws {
        let world = try await World(Self.cook(), consents: false)
        #expect(await world.throng.purposes.map(\.isAllowed) == [false, true, false])
        #expect(await world.throng.purposes.map(\.refusedBy) == [[], [], [.ageSignal]])
        world.throng.record("arrival")
        #expect(await world.throng.flush() == FlushResult())
        #expect(await world.throng.status.dropped == [.notAllowed: 1])
        await world.throng.setGrownUp(true)
        world.throng.record("arrival")
        #expect(await world.throng.flush().counted == 1)
        world.throng.record("arrival")
        await world.throng.setGrownUp(false)
        #expect(await world.throng.status.dropped[.withdrawn] == 1, "what waited is dropped")
        #expect(await world.throng.flush() == FlushResult())
        let again = try await world.restarted()
        #expect(await again.purposes.map(\.isAllowed) == [false, true, false], "it is said after each start")
    }

    @Test("what waits for people who are grown up waits on where the next start says so, and goes where it does not")
    func starts() async throws {
        for isGrownUp in [true, false] {
            let world = try await World(Self.cook(), consents: false)
            await world.throng.setGrownUp(true)
            world.throng.record("arrival")
            await world.throng.save()
            let again = try await world.restarted { $0.isGrownUp = isGrownUp }
            #expect(await again.flush().counted == (isGrownUp ? 1 : 0))
            #expect(await again.status.dropped == (isGrownUp ? [:] : [.withdrawn: 1]))
        }
    }

    @Test("for a child only a parent agrees; whoever is grown up agrees alone, unless the app is directed to children")
    func parents() async throws {
        for directedTo in ["mixed", "children"] {
            let world = try await World(Self.cook(directedTo), consents: false)
            #expect(await world.throng.purposes[0].needsParent)
            try await world.throng.setConsent(.authorized, for: "product")
            #expect(await !world.throng.purposes[0].isAllowed)
            await world.throng.setGrownUp(true)
            #expect(await world.throng.purposes[0].isAllowed == (directedTo == "mixed"))
            #expect(await world.throng.purposes[0].needsParent == (directedTo == "children"))
            await world.throng.setGrownUp(false)
            try await world.throng.setConsent(.authorizedByParent, for: "product")
            world.throng.record("recipe_opened")
            #expect(await world.throng.flush().counted == 1)
            try await world.throng.setConsent(.denied, for: "product")
            world.throng.record("recipe_opened")
            #expect(await world.throng.flush() == FlushResult())
        }
    }

    @Test("a parent's consent is kept as what it is, and is good for a purpose that asks for no parent")
    func kept() async throws {
        let world = try await World(Self.cook(), consents: false)
        try await world.throng.setConsent(.authorizedByParent, for: "product")
        try await world.throng.setConsent(.authorizedByParent, for: "safety")
        let again = try await world.restarted()
        #expect(await again.purposes.map(\.consent) == [.authorizedByParent, .authorizedByParent, .notDetermined])
        #expect(await again.purposes.map(\.isAllowed) == [true, true, false])
    }

    @Test("where children are counted no identifier outlives the process; elsewhere a window has one")
    func identifiers() async throws {
        let world = try await World(Self.cook(), consents: false)
        await world.throng.setGrownUp(true)
        try await world.throng.setConsent(.authorized, for: "product")
        func send(_ throng: Throng) async {
            for event in ["recipe_opened", "crash", "arrival"] { throng.record(event) }
            _ = await throng.flush()
        }
        await send(world.throng)
        await send(world.throng)
        let again = try await world.restarted(seed: 7)
        await again.setGrownUp(true)
        await send(again)
        for (purpose, count) in [("product", 2), ("safety", 2), ("adverts", 1)] {
            let own = world.daemon.batches.filter { $0.purpose == purpose }
            #expect(own.count == 3 && Set(own.map(\.window)).count == 1)
            #expect(Set(own.map(\.id)).count == count, "\(purpose)")
            #expect(own[0].id == own[1].id)
        }
    }

    @Test("what was sent since the start is taken back, and of what was sent before, what has no answer")
    func takenBack() async throws {
        for isRestarted in [false, true] {
            let world = try await World(Self.cook(), consents: false)
            await world.throng.setGrownUp(true)
            try await world.throng.setConsent(.authorized, for: "product")
            if isRestarted { world.line.set(.answerLost) }
            world.throng.record("recipe_opened")
            _ = await world.throng.flush()
            let id = try #require(world.daemon.batches.first?.id)
            #expect(world.daemon.total("recipes") == 1)
            let throng = isRestarted ? try await world.restarted() : world.throng
            world.line.set(.fine)
            try await throng.setConsent(.denied, for: "product")
            #expect(await throng.flush() == FlushResult())
            #expect(world.daemon.withdrawals.map(\.id) == [id])
            #expect(world.daemon.cells.isEmpty && world.daemon.devices.isEmpty)
        }
    }

    @Test("who turns out to be a child is taken out where only grown-ups count; a start that does not know does not")
    func turnsOut() async throws {
        let world = try await World(Self.cook(), consents: false)
        await world.throng.setGrownUp(true)
        world.throng.record("arrival")
        world.throng.record("crash")
        #expect(await world.throng.flush().counted == 2)
        let again = try await world.restarted()
        _ = await again.flush()
        #expect(world.daemon.withdrawals.isEmpty && world.daemon.total("arrivals") == 1)
        await again.setGrownUp(false)
        _ = await again.flush()
        #expect(world.daemon.withdrawals.map(\.purpose) == ["adverts"])
        #expect(world.daemon.total("arrivals") == 0 && world.daemon.total("crashes") == 1)
    }

    @Test("a plan that asks of children what no plan may is not followed", arguments: ["marketing", "rotation"])
    func forged(what: String) async throws {
        let cook = try Self.cook("children")
        let text = String(decoding: cook.document, as: UTF8.self)
        let forged =
            what == "marketing"
            ? text.replacing("\"use\":\"security\"", with: "\"use\":\"marketing\"")
            : text.replacing("\"rotation_seconds\":3600", with: "\"rotation_seconds\":86400")
        #expect(forged != text)
        await #expect(throws: ThrongError.self) {
            _ = try await Throng.testing(plan: Data(forged.utf8), sink: MemorySink())
        }
    }

    @Test("an app's own tests have consent for everything, of whoever has to give it")
    func testing() async throws {
        for directedTo in ["mixed", "children"] {
            let sink = MemorySink()
            let throng = try await Throng.testing(plan: Self.cook(directedTo).document, sink: sink)
            for event in ["recipe_opened", "crash", "arrival"] { throng.record(event) }
            #expect(await throng.flush().counted == 3)
        }
    }
}
