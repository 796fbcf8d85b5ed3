import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("What a test build sends is checked, and counts into nothing")
struct TestBuildTests {
    @Test("its batches say so, the daemon counts nothing of them, and the device hears what the plan takes")
    func kept() async throws {
        let world = try await World { $0.isTest = true }
        world.throng.record("recipe_opened", ["category": "cake"])
        let result = await world.throng.flush()
        #expect(result.tested == 1 && result.counted == 0 && result.waiting == 0)
        #expect(world.daemon.cells.isEmpty && world.daemon.firsts.isEmpty)
        #expect(world.daemon.bodies.isEmpty, "the daemon of the test keeps the bodies that it counts")
        let sent = await world.throng.sent
        #expect(sent.map(\.outcome) == [.tested(events: 1, refused: [:])])
        #expect(sent[0].body.contains(#""test":true"#))
    }

    @Test(
        "a build for people, in the same folder, is another device: no first was spent and nothing is sent that waited")
    func released() async throws {
        let world = try await World { $0.isTest = true }
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().tested == 1)
        world.throng.record("recipe_opened", ["category": "roast"])
        await world.throng.save()
        let released = try await world.restarted()
        #expect(await released.status.waiting == 0)
        #expect(await released.consent(for: "product") == .authorized)
        released.record("recipe_opened", ["category": "cake"])
        #expect(await released.flush().counted == 1)
        #expect(!world.daemon.firsts.isEmpty, "it is this device's first")
        #expect(world.daemon.batches.count == 1 && world.daemon.batches[0].test == nil)
    }

    @Test("an app that says nothing counts, also in a build for debugging")
    func plain() async throws {
        let world = try await World()
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
        #expect(!world.daemon.bodies.joined().contains("test"))
        #expect(!ThrongOptions().isTest)
    }
}
