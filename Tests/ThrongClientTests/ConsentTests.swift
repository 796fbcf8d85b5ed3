import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Nothing is counted that a person did not allow")
struct ConsentTests {
    @Test("nothing is queued before consent, and nothing of it is sent afterwards")
    func beforeConsent() async throws {
        let world = try await World(consents: false)
        #expect(await world.throng.consent(for: "product") == .notDetermined)
        world.throng.record("recipe_opened", ["category": "cake"])
        try await world.throng.setConsent(.authorized, for: "product")
        #expect(await world.throng.flush().counted == 0)
        #expect(await world.throng.status.dropped == [.notAllowed: 1])
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
    }

    @Test(
        "denied and restricted count nothing and take back, also where the plan asks for no consent",
        arguments: [
            Consent.denied, .restricted,
        ])
    func refused(consent: Consent) async throws {
        let world = try await World(consents: false)
        world.throng.record("arrival", ["campaign": "spring"])
        #expect(await world.throng.flush().counted == 1)
        try await world.throng.setConsent(consent, for: "adverts")
        world.throng.record("arrival", ["campaign": "spring"])
        #expect(await world.throng.flush() == FlushResult())
        #expect(world.daemon.total("arrivals") == 0)
    }

    @Test("what is queued is dropped on withdrawal, from disk too, and another purpose's stays")
    func withdrawal() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("arrival", ["campaign": "spring"])
        await world.throng.save()
        try await world.throng.setConsent(.denied, for: "product")
        #expect(await world.throng.status.waiting == 1)
        #expect(await world.throng.status.dropped[.withdrawn] == 1)
        let disk = String(decoding: try #require(storage.read("cook-memory.json")), as: UTF8.self)
        #expect(!disk.contains("recipe_opened") && disk.contains("arrival"))
        _ = await world.throng.flush()
        #expect(world.daemon.batches.map(\.purpose) == ["adverts"])
    }

    @Test("a batch without an answer is not sent again after withdrawal")
    func withdrawnUnderWay() async throws {
        let world = try await World()
        world.line.set(.requestLost)
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().problem == .unreachable)
        try await world.throng.setConsent(.denied, for: "product")
        world.line.set(.fine)
        #expect(await world.throng.flush() == FlushResult())
        #expect(world.daemon.bodies.isEmpty)
    }

    @Test("signals refuse exactly the purposes whose plan says so, and drop what waits")
    func signals() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("arrival", ["campaign": "spring"])
        await world.throng.setSignals([.globalPrivacyControl])
        #expect(await world.throng.purposes.map(\.isAllowed) == [false, true])
        #expect(await world.throng.purposes.map(\.refusedBy) == [[.globalPrivacyControl], []])
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
        #expect(world.line.posts.first?.headers["Sec-GPC"] == "1")
        await world.throng.setSignals([.limitAdTracking])
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("arrival", ["campaign": "spring"])
        #expect(await world.throng.flush().counted == 1)
        #expect(world.daemon.batches.map(\.purpose) == ["adverts", "product"])
    }

    @Test("consent survives a restart and a reset")
    func kept() async throws {
        let world = try await World(consents: false)
        try await world.throng.setConsent(.authorized, for: "product")
        try await world.throng.setConsent(.restricted, for: "adverts")
        let again = try await world.restarted()
        #expect(await again.purposes.map(\.consent) == [.authorized, .restricted])
        await again.reset()
        #expect(await again.purposes.map(\.consent) == [.authorized, .restricted])
    }

    @Test("purposes are explained in the plan's words, or in the app's")
    func words() async throws {
        let world = try await World { options in
            options.localize = { key, words in key == "throng.purpose.adverts" ? "Werbung" : words }
        }
        #expect(await world.throng.purposes.map(\.explanation) == ["To see which recipes are used.", "Werbung"])
        #expect(await world.throng.purposes[0].questions.first == "Which recipes are opened?")
    }

    @Test("reset makes another device: new identifiers, no queue, no log, no firsts")
    func reset() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        world.throng.record("recipe_opened", ["category": "roast"])
        await world.throng.reset()
        #expect(await world.throng.sent.isEmpty)
        #expect(await world.throng.status.waiting == 0)
        #expect(storage.names == ["cook-consent.json", "cook-memory.json", "cook-plan.json"])
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        let batches = world.daemon.batches
        #expect(batches.count == 2 && batches[0].window == batches[1].window && batches[0].id != batches[1].id)
        #expect(batches[1].events[0].firsts == batches[0].events[0].firsts)
    }
}
