import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient

@Suite("Recording costs the disk little, and closing gives it back")
struct SavingTests {
    @Test(
        "a thousand records are written once a second, not a thousand times, and all of them once it is closed")
    func seldom() async throws {
        let cook = try CookPlan(CookPlan.unbounded)
        let storage = FrailStorage()
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.interval = 3600
        let url = try #require(CookPlan.url)
        let throng = try await Throng(plan: url, storage: storage, transport: MemorySink(), options: options)
        try await throng.setConsent(.authorized, for: "product")
        let before = storage.writes("cook-memory.json")
        let begun = ContinuousClock.now
        for amount in 1...1000 {
            throng.record("purchase", ["amount": amount])
            try await Task.sleep(for: .milliseconds(2))
        }
        try await Task.sleep(for: .milliseconds(1500))
        let (writes, bytes) = (storage.writes("cook-memory.json") - before, storage.state.withLock { $0.bytes })
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        #expect(writes >= 1 && Double(writes) <= seconds + 1, "\(writes) writes, \(bytes) bytes")
        throng.record("purchase", ["amount": 999.75])
        await throng.close()
        let disk = String(decoding: try #require(storage.inner.read("cook-memory.json")), as: UTF8.self)
        #expect(disk.contains("999.75"))
    }

    @Test("after closing, the directory can be used again while the old one is still there")
    func reopened() async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("throng-open-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let world = try await World(storage: DirectoryStorage(place))
        world.line.set(.offline)
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        #expect(throws: ThrongError.self) { try DirectoryStorage(place) }
        await world.throng.close()
        let again = try await World(storage: DirectoryStorage(place), daemon: world.daemon)
        // The old one writes nothing any more.
        world.throng.record("recipe_opened", ["category": "roast"])
        #expect(await world.throng.save() == false)
        await #expect(throws: ThrongError.self) { try await world.throng.setConsent(.denied, for: "product") }
        _ = await world.throng.flush()
        await world.throng.close()
        #expect(await again.throng.consent(for: "product") == .authorized)
        #expect(await again.throng.flush().counted == 1)
        #expect(throws: ThrongError.self) { try DirectoryStorage(place) }
    }
}
